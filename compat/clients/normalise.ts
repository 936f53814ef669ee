/** The letters of names that a server makes: k8s.io/apimachinery, pkg/util/rand. */
const made = "[bcdfghjklmnpqrstvwxz2456789]";

const rules: readonly (readonly [RegExp, string])[] = [
  [/https?:\/\/127\.0\.0\.1:\d+/g, "<server>"],
  [/\b127\.0\.0\.1:\d+/g, "<server>"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<uid>"],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( ?Z| [+-]\d{4} UTC)?/g, "<time>"],
  [
    /\b[A-Z][a-z]{2},? +([A-Z][a-z]{2} +\d+|\d+ [A-Z][a-z]{2} \d{4}) +\d\d:\d\d:\d\d( +\d{4}| \+0000)?/g,
    "<time>",
  ],
  [/(\\?"?resourceVersion\\?"?: ?)\\?"?\d+\\?"?/g, "$1<version>"],
  [/\bResource Version: *\d+/g, "Resource Version: <version>"],
  [/\bmodifiedAt=\d+/g, "modifiedAt=<time>"],
  [/\/tmp\/kubectl-edit-\d+/g, "/tmp/kubectl-edit-<made>"],
  // What the embedded cluster says on purpose.
  [/\bv1\.36\.3\+capstan\b/g, "v1.36.3"],
  [/\bkwok-node\b|\bcapstan-simulated\b|\bsimulated-node\b/g, "<node>"],
  [/\b10\.\d+\.\d+\.\d+\b/g, "<ip>"],
  [/\b3[012]\d{3}\b/g, "<node-port>"],
  [new RegExp(`-${made}{8,10}-${made}{5}\\b`, "g"), "-<made>"],
  [new RegExp(`\\b(pod-template-hash["=:]* ?"?)${made}{6,10}`, "g"), "$1<made>"],
  [new RegExp(`-${made}{5,10}\\b`, "g"), "-<made>"],
  [/(?<=\s|^|\()(\d+[smhd]){1,2}(?=\s|$|\))/g, "<age>"],
  [/<invalid>/g, "<age>"],
  [/\b\d+(\.\d+)?(s|ms)\b(?= |$|\))/g, "<age>"],
];

/** Lines without what two clusters cannot have in common: times, ids, addresses, and the width of columns. */
export function normalise(text: string): string[] {
  let neutral = text;
  for (const [pattern, replacement] of rules) neutral = neutral.replace(pattern, replacement);
  return neutral
    .split("\n")
    .map((line) => line.replaceAll(/(?<=\S) {2,}|\t+/g, "  ").trimEnd())
    .filter((line, index, all) => line !== "" || index < all.length - 1);
}
