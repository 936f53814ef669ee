import { goSchema } from "@capstan/formats/yaml";
import { type EventType, loadAll, type State } from "js-yaml";
import type { FieldProblem } from "../failures/failure.ts";
import { splitDocuments } from "./yaml.ts";

/** A key, an item or a document, as the reader met it. */
interface Node {
  /** Counted from 0, from the document's first line. */
  readonly line: number;
  kind: string | null | undefined;
  text: unknown;
  children: Node[];
}

/**
 * The problems with the line of the file on which each field stands, or of the nearest above it where it is missing.
 * `document` is counted from 1, as parseYamlDocuments does. For texts that have been read already.
 */
export function withLines(
  problems: readonly FieldProblem[],
  text: string,
  document = 1,
): readonly FieldProblem[] {
  const piece = splitDocuments(text)[document - 1];
  if (problems.length === 0 || piece === undefined) return problems;
  const root = readNodes(piece.text);
  return problems.map((problem) => {
    const line = root && lineOf(root, stepsOf(problem.field));
    return line === undefined ? problem : { ...problem, line: piece.offset + line + 1 };
  });
}

function readNodes(text: string): Node | undefined {
  const top: Node = { line: 0, kind: undefined, text: undefined, children: [] };
  const open = [top];
  const listener = (event: EventType, { line, kind, result }: State) => {
    if (event === "open") {
      const node: Node = { line, kind: undefined, text: undefined, children: [] };
      open.at(-1)?.children.push(node);
      open.push(node);
      return;
    }
    const node = open.pop();
    if (!node) return;
    node.kind = kind;
    node.text = result;
    // A flow mapping is first read as what may be the key of a block mapping.
    const [only, other] = node.children;
    if (only && !other && typeof result === "object" && only.text === result) node.children = only.children;
  };
  try {
    loadAll(text, null, { schema: goSchema, json: true, listener });
  } catch {
    // What cannot be read has its line in that failure.
    return undefined;
  }
  return top.children[0];
}

/** Of `spec.static[0].name` and `metadata.annotations["example.com/a"]`: their steps. */
function stepsOf(field: string): string[] {
  return [...field.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)].map(
    ([, index, quoted, name]) => index ?? (quoted === undefined ? (name ?? "") : String(JSON.parse(quoted))),
  );
}

/** Down to the last step that is there. */
function lineOf(root: Node, steps: readonly string[]): number {
  let [node, line] = [root, root.line];
  for (const step of steps) {
    const found = below(node, step);
    if (!found) return line;
    [node, line] = [found.value, found.line];
  }
  return line;
}

function below({ kind, children }: Node, step: string): { value: Node; line: number } | undefined {
  if (kind === "sequence") {
    const item = children[Number(step)];
    return item && { value: item, line: item.line };
  }
  // A key, then its value, and so on; of equal keys the last holds.
  const at = children.findLastIndex((key, index) => index % 2 === 0 && String(key.text) === step);
  const [key, value] = [children[at], children[at + 1]];
  return key && value && { value, line: key.line };
}
