/** How strongly operators bind (expr's parser/operator). */
export const unary: Readonly<Record<string, number>> = { not: 50, "!": 50, "-": 90, "+": 90 };
export const binary: Readonly<Record<string, number>> = {
  ...{
    "|": 0,
    or: 10,
    "||": 10,
    and: 15,
    "&&": 15,
    "==": 20,
    "!=": 20,
    "<": 20,
    ">": 20,
    ">=": 20,
    "<=": 20,
  },
  ...{ in: 20, matches: 20, contains: 20, startsWith: 20, endsWith: 20, "..": 25, "+": 30, "-": 30 },
  ...{ "*": 60, "/": 60, "%": 60, "**": 100, "^": 100, "??": 500 },
};
export const negatable = new Set(["contains", "matches", "startsWith", "endsWith", "in"]);
export const comparisons = new Set(["<", ">", ">=", "<="]);
