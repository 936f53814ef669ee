import { normalise } from "../clients/normalise.ts";

const rules: readonly (readonly [RegExp, string])[] = [
  // Refusals have their codes in common; the sentences are each server's own.
  [/(code = \w+ desc = ).*?(?=","time":|$)/gm, "$1<sentence>"],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, "<token>"],
  [/\b[0-9a-f]{40}\b/g, "<revision>"],
  [/\([0-9a-f]{7}\)/g, "(<revision>)"],
  [/^(\s*"?(?:generation|observedGeneration)"?: )\d+/gm, "$1<generation>"],
  [/^(\s*"?(?:iat|exp|issuedAt|expiresAt)"?: )"?\d+"?/gm, "$1<seconds>"],
  [/^((?:\s*- )?\s*"?(?:iat|exp)"?: )\d+/gm, "$1<seconds>"],
  [/\(?(\d+ \w+ (ago|from now)|\bnow\b)\)?/g, "<age>"],
  [/\b17\d{8}\b/g, "<seconds>"],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([+-]\d\d:\d\d)/g, "<time>"],
  [/\b[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (\d{4} )?(UTC )?[+-]\d{4}( UTC)?/g, "<time>"],
];

/** Who wrote which field, in JSON or YAML, is the business of the two clusters. */
function withoutManagers(text: string): string {
  const kept: string[] = [];
  let dropped: number | undefined;
  for (const line of text.split("\n")) {
    const indent = line.length - line.trimStart().length;
    const isBelow =
      dropped !== undefined && (indent > dropped || (indent === dropped && /^\s*[-\]]/.test(line)));
    if (isBelow) continue;
    dropped = /^\s*"?managedFields"?:/.test(line) ? indent : undefined;
    if (dropped === undefined) kept.push(line);
  }
  return kept.join("\n");
}

/** Lines without what two servers cannot have in common. */
export function sayNeutrally(text: string, known: Readonly<Record<string, string>>): string[] {
  let neutral = withoutManagers(text);
  for (const [name, value] of Object.entries(known)) neutral = neutral.replaceAll(value, `<${name}>`);
  for (const [pattern, replacement] of rules) neutral = neutral.replace(pattern, replacement);
  return inAnyOrder(normalise(neutral));
}

/**
 * Lines of progress, one beneath the other: both servers tell what was applied in the order in which that ended
 * (gitops-engine, pkg/sync: each object of a wave is applied for itself), which is another one each time.
 */
function inAnyOrder(lines: readonly string[]): string[] {
  const ordered: string[] = [];
  let together: string[] = [];
  for (const line of [...lines, ""]) {
    if (line.startsWith("<time> ")) together.push(line);
    else {
      ordered.push(...together.sort(), line);
      together = [];
    }
  }
  return ordered.slice(0, -1);
}
