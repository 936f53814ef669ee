import type { Pod } from "../kinds.ts";

export const indexAnnotation = "batch.kubernetes.io/job-completion-index";

export function indexOf(pod: Pod): number | undefined {
  const text = pod.metadata.annotations?.[indexAnnotation];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** As status.completedIndexes writes them: "0-2,5". */
export function printIndexes(indexes: Iterable<number>): string {
  const sorted = [...new Set(indexes)].sort((a, b) => a - b);
  const ranges: string[] = [];
  let first = sorted[0];
  for (const [at, index] of sorted.entries()) {
    const next = sorted[at + 1];
    if (next === index + 1) continue;
    ranges.push(first === index ? `${index}` : `${first}${index === (first ?? 0) + 1 ? "," : "-"}${index}`);
    first = next;
  }
  return ranges.join(",");
}

export function readIndexes(text: string | undefined): Set<number> {
  const indexes = new Set<number>();
  for (const range of text ? text.split(",") : []) {
    const [first = "", last = first] = range.split("-");
    for (let index = Number(first); index <= Number(last); index++) indexes.add(index);
  }
  return indexes;
}
