/** Calls whose second argument is played for each element: how many arguments they need, and take. */
export const predicateCalls: Readonly<Record<string, { needed: number; most: number }>> = Object.assign(
  Object.create(null),
  {
    ...Object.fromEntries(
      "all none any one filter map find findIndex findLast findLastIndex groupBy"
        .split(" ")
        .map((name) => [name, { needed: 2, most: 2 }]),
    ),
    count: { needed: 1, most: 2 },
    sum: { needed: 1, most: 2 },
    sortBy: { needed: 2, most: 3 },
    reduce: { needed: 2, most: 3 },
  },
);

const plain = new Set(
  (
    "len type abs ceil floor round int float string trim trimPrefix trimSuffix upper lower split splitAfter replace " +
    "repeat join indexOf lastIndexOf hasPrefix hasSuffix max min mean median toJSON fromJSON toBase64 fromBase64 now " +
    "duration date timezone first last get take keys values toPairs fromPairs reverse uniq concat flatten sort bitand " +
    "bitor bitxor bitnand bitshl bitshr bitushr bitnot"
  ).split(" "),
);

/** Names that are taken in a call (expr-lang builtin.go). */
export function isBuiltin(name: string): boolean {
  return plain.has(name) || predicateCalls[name] !== undefined;
}
