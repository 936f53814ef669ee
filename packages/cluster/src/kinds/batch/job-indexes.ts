/** What is wrong with "1,3-5" as indexes of so many completions: pkg/apis/batch/validation validateIndexesFormat. */
export function indexProblem(text: string, completions: number): string | undefined {
  let last: number | undefined;
  for (const part of text === "" ? [] : text.split(",")) {
    const limits = part.split("-");
    if (limits.length > 2)
      return `the fragment "${part}" violates the requirement that an index interval can have at most two parts separated by '-'`;
    for (const limit of limits) {
      if (!/^[+-]?\d+$/.test(limit)) return `cannot convert string to integer for index: "${limit}"`;
      if (Number(limit) >= completions) return `too large index: "${limit}"`;
    }
    const [from, to = from] = limits.map(Number);
    if (from === undefined || to === undefined) return undefined;
    if (limits.length > 1 && from >= to) return `non-increasing order, previous: ${from}, current: ${to}`;
    if (last !== undefined && last >= from)
      return `non-increasing order, previous: ${last}, current: ${from}`;
    last = to;
  }
  return undefined;
}

export function countIndexes(text: string): number {
  return [...indexesOf(text)].length;
}

export function* indexesOf(text: string): Generator<number> {
  for (const part of text === "" ? [] : text.split(",")) {
    const [from = 0, to = from] = part.split("-").map(Number);
    for (let index = from; index <= to; index += 1) yield index;
  }
}
