import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { parseJson, printJsonPath } from "@capstan/formats";
import { parseYaml } from "@capstan/model";
import { decodeBase64 } from "./decode-base64.ts";

export interface ModifierOptions {
  /** As argocd-vault-plugin does it, its defects included. */
  isCompatible: boolean;
}

type Modifier = (value: unknown, args: readonly string[], options: ModifierOptions) => unknown;

/** pkg/kube/modifiers.go. Bytes that are no text are a Buffer. */
const modifiers: Readonly<Record<string, Modifier>> = {
  base64encode: (value, args) => bytesOf(value, only(args, 0)).toString("base64"),
  base64decode(value, args, { isCompatible }) {
    const { bytes, isBase64 } = decodeBase64(textOf(value, only(args, 0)));
    if (!isBase64 && !isCompatible) throw new Error("base64decode: the value is not base64");
    return isUtf8(bytes) ? bytes.toString() : bytes;
  },
  jsonPath(value, args) {
    if (args.length === 0) throw new Error("jsonPath needs an expression");
    const isText = typeof value === "string" || Buffer.isBuffer(value);
    const data = isText ? parseSafely("jsonPath", () => parseJson(textOf(value))) : value;
    return printJsonPath(args.join(" "), data);
  },
  jsonParse: (value, args) => {
    const text = textOf(value, only(args, 0));
    return parseSafely("jsonParse", () => parseJson(text));
  },
  yamlParse: (value, args) => {
    const text = textOf(value, only(args, 0));
    return parseSafely("yamlParse", () => parseYaml(text) ?? null);
  },
  indent(value, args, { isCompatible }) {
    const [count] = only(args, 1);
    const width = Number(count);
    if (!/^\d+$/.test(count ?? "") || width > 1000) throw new Error(`indent: "${count}" is no width`);
    return isCompatible ? trimAndIndent(textOf(value), width) : indent(textOf(value), width);
  },
  sha256sum: (value, args) =>
    createHash("sha256")
      .update(bytesOf(value, only(args, 0)))
      .digest("hex"),
};

/** The value after all modifiers; throws an Error that names the modifier and never the value. */
export function modify(value: unknown, steps: readonly string[], options: ModifierOptions): unknown {
  return steps.reduce((current, step) => {
    const [name = "", ...args] = step.split(/\s+/);
    const modifier = Object.hasOwn(modifiers, name) ? modifiers[name] : undefined;
    if (!modifier)
      throw new Error(`there is no modifier "${name}". There are ${Object.keys(modifiers).join(", ")}`);
    try {
      return modifier(current, args, options);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      throw new Error(problem.startsWith(name) ? problem : `${name}: ${problem}`, { cause: error });
    }
  }, value);
}

function only(args: readonly string[], count: number): readonly string[] {
  if (args.length !== count) throw new Error(`takes ${count} arguments, not ${args.length}`);
  return args;
}

function textOf(value: unknown, _checked?: readonly string[]): string {
  if (typeof value === "string") return value;
  throw new Error(`takes a text, not ${kindOf(value)}`);
}

function bytesOf(value: unknown, checked: readonly string[]): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(textOf(value, checked));
}

function kindOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return "bytes that are none";
  return Array.isArray(value) ? "a list" : typeof value;
}

/** What a parser says may quote the value. */
function parseSafely(name: string, parse: () => unknown): unknown {
  try {
    return parse();
  } catch {
    throw new Error(`${name}: the value cannot be parsed`);
  }
}

function indent(text: string, width: number): string {
  const lines = text.split("\n");
  return lines.map((line, at) => (at === 0 || line === "" ? line : " ".repeat(width) + line)).join("\n");
}

/** Lines lose the blanks at their ends, empty ones go. */
function trimAndIndent(text: string, width: number): string {
  const [first = "", ...others] = text.split("\n");
  const indented = others.map((line, at) => {
    if (line === "") return "";
    return " ".repeat(width) + line.trim() + (at < others.length - 1 ? "\n" : "");
  });
  return first.trim() + (others.length > 0 ? "\n" : "") + indented.join("");
}
