import { CapstanError } from "@capstan/model";
import { isMap, isScalar, isSeq, parseDocument, Scalar } from "yaml";
import { type EncryptedFile, type Plain, str } from "./encrypted-file.ts";
import { printGoFloat } from "./go-scalar.ts";
import { leavesOfMap } from "./yaml-leaves.ts";

const smallest = -(2n ** 63n);
const largest = 2n ** 63n - 1n;

/** JSON is read as YAML, which keeps the order of keys. */
export function readJsonFile(text: string, file: string): EncryptedFile {
  const root = readRoot(text, file);
  const metadata = root.get("sops");
  root.delete("sops");
  return {
    metadata: isMap(metadata) ? metadata.toJSON() : undefined,
    leaves: () => leavesOfMap(root, { path: [], comments: [] }, readScalar),
    print: () => Buffer.from(`${printNode(root, "")}\n`),
  };
}

/** The file itself is the value of `data` (BinaryStore of stores/json). */
export function readBinaryFile(text: string, file: string): EncryptedFile {
  const json = readJsonFile(text, file);
  return {
    ...json,
    print() {
      for (const { path, value } of json.leaves()) if (path.join() === "data") return value.bytes;
      throw new CapstanError({ code: "MANIFEST_INVALID", file, field: "data", problem: "it is missing" });
    },
  };
}

function readRoot(text: string, file: string) {
  try {
    JSON.parse(text);
  } catch (error) {
    const problem = `it is not JSON: ${error instanceof Error ? error.message.replace(/"[^"]*"/g, "…") : ""}`;
    throw new CapstanError({ code: "MANIFEST_INVALID", file, problem }, error);
  }
  const { contents, errors } = parseDocument(text, { schema: "failsafe" });
  const [error] = errors;
  if (isMap(contents) && !error) return contents;
  const problem = error?.message.split("\n")[0] ?? "sops takes objects only";
  throw new CapstanError({ code: "MANIFEST_INVALID", file, problem });
}

function readScalar({ type, value, source }: Scalar): Plain | undefined {
  const text = String(value ?? source ?? "");
  if (type !== Scalar.PLAIN) return str(text);
  if (text === "null") return undefined;
  if (text === "true" || text === "false")
    return { type: "bool", bytes: Buffer.from(text === "true" ? "True" : "False") };
  const isInt = /^-?\d+$/.test(text) && BigInt(text) >= smallest && BigInt(text) <= largest;
  if (isInt) return { type: "int", bytes: Buffer.from(String(BigInt(text))) };
  return { type: "float", bytes: Buffer.from(printGoFloat(Number(text))) };
}

function printNode(node: unknown, indent: string): string {
  const inner = `${indent}\t`;
  if (isMap(node)) {
    const items = node.items.map(
      ({ key, value }) => `${inner}${JSON.stringify(textOf(key))}: ${printNode(value, inner)}`,
    );
    return items.length === 0 ? "{}" : `{\n${items.join(",\n")}\n${indent}}`;
  }
  if (isSeq(node)) {
    const items = node.items.map((item) => inner + printNode(item, inner));
    return items.length === 0 ? "[]" : `[\n${items.join(",\n")}\n${indent}]`;
  }
  if (!isScalar(node)) return "null";
  return node.type === Scalar.PLAIN ? textOf(node) : JSON.stringify(textOf(node));
}

function textOf(node: unknown): string {
  return isScalar(node) ? String(node.value ?? node.source ?? "") : "";
}
