import { CapstanError } from "@capstan/model";
import { type Document, isMap, isScalar, parseAllDocuments, Scalar, type YAMLMap } from "yaml";
import { type EncryptedFile, type Plain, str } from "./encrypted-file.ts";
import { readGoScalar } from "./go-scalar.ts";
import { commentLeaves, leavesOfMap } from "./yaml-leaves.ts";

type Doc = Document.Parsed;

/** All documents are one: one MAC over them, the first holds SOPS's entries (stores/yaml, stores/metadata.go). */
export function readYamlFile(text: string, file: string): EncryptedFile {
  const documents = readDocuments(text, file);
  const roots = documents.map((document, index) => rootOf(document, { file, document: index + 1 }));
  const metadata = takeMetadata(roots);
  return {
    metadata,
    *leaves() {
      for (const [index, document] of documents.entries()) {
        const root = roots[index];
        yield* commentLeaves(document, "commentBefore", { path: [], comments: [[]] });
        if (root) yield* leavesOfMap(root, { path: [], comments: [] }, readScalar);
      }
    },
    print: () => Buffer.from(documents.map(printDocument).join("---\n")),
  };
}

/** No scalar is given a meaning: what is not encrypted stays as it is written. */
function readDocuments(text: string, file: string): Doc[] {
  const parsed = parseAllDocuments(text, { schema: "failsafe", merge: false });
  const documents = Array.isArray(parsed) ? parsed : [];
  for (const [index, { errors }] of documents.entries()) {
    const [error] = errors;
    if (!error) continue;
    const line = error.linePos?.[0].line;
    const problem = error.message.split("\n")[0] ?? "it cannot be read";
    throw new CapstanError({
      code: "YAML_INVALID",
      file,
      document: index + 1,
      ...(line && { line }),
      problem,
    });
  }
  return documents;
}

function rootOf({ contents }: Doc, place: { file: string; document: number }): YAMLMap | undefined {
  if (isMap(contents)) return contents;
  if (contents === null || (isScalar(contents) && contents.source === "")) return undefined;
  throw new CapstanError({ code: "YAML_INVALID", ...place, problem: "sops takes mappings only" });
}

function takeMetadata(roots: readonly (YAMLMap | undefined)[]): unknown {
  const metadata = roots[0]?.get("sops");
  for (const root of roots) root?.delete("sops");
  return isMap(metadata) ? metadata.toJSON() : undefined;
}

function readScalar({ type, tag, value, source }: Scalar): Plain | undefined {
  const text = String(value ?? source ?? "");
  const isPlain = type === Scalar.PLAIN && (tag === undefined || tag !== "tag:yaml.org,2002:str");
  return isPlain ? readGoScalar(text) : str(text);
}

function printDocument(document: Doc): string {
  if (document.directives) document.directives.docStart = null;
  return document.toString({ lineWidth: 0 });
}
