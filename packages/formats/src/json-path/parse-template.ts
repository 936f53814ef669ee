import { readSteps } from "./read-steps.ts";
import type { Part } from "./syntax.ts";

/** Text, and expressions in braces; a brace in quotes closes nothing. */
const piece = /\{(?:[^{}"']|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')*\}|[^{]+|\{/gs;

/** Kubernetes' JSONPath template (k8s.io/client-go/util/jsonpath Parser). */
export function parseTemplate(template: string): readonly Part[] {
  const pieces = [...template.matchAll(piece)].map(([found]) => found).reverse();
  if (pieces.includes("{")) throw new Error(`jsonPath cannot read ${template}: a brace is not closed`);
  const { parts, hasEnd } = takeParts(pieces);
  if (hasEnd) throw new Error(`jsonPath cannot read ${template}: {end} without {range}`);
  return parts;
}

/** Takes pieces from the end of the list, up to `{end}`. */
function takeParts(pieces: string[]): { parts: readonly Part[]; hasEnd: boolean } {
  const parts: Part[] = [];
  for (let one = pieces.pop(); one !== undefined; one = pieces.pop()) {
    if (!one.startsWith("{")) {
      parts.push({ kind: "text", text: one });
      continue;
    }
    const source = one.slice(1, -1).trim();
    if (source === "end") return { parts, hasEnd: true };
    const list = /^range\b(.*)$/s.exec(source)?.[1];
    if (list === undefined) parts.push({ kind: "expression", steps: readSteps(source) });
    else {
      const { parts: body, hasEnd } = takeParts(pieces);
      if (!hasEnd) throw new Error(`jsonPath cannot read {${source}}: it has no {end}`);
      parts.push({ kind: "range", steps: readSteps(list), body });
    }
  }
  return { parts, hasEnd: false };
}
