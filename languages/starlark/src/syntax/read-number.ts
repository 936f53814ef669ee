type Read = { length: number } & (
  | { kind: "int"; text: string; value: bigint }
  | { kind: "float"; text: string; value: number }
  | { problem: string; isAtStart: boolean }
);

/** The number that a text begins with; it begins with a digit, or a dot before one. */
export function readNumber(ahead: string): Read {
  const based = /^0([xXoObB])([0-9a-fA-F]*)/.exec(ahead);
  if (based) return readBased(based[1]?.toLowerCase() ?? "", based[2] ?? "");
  const text = /^\d*(\.\d*)?([eE][+-]?\d*)?/.exec(ahead)?.[0] ?? "";
  const length = text.length;
  if (/[.eE]/.test(text)) {
    const value = Number(text);
    const isWrong = /[eE][+-]?$/.test(text) || !Number.isFinite(value);
    if (isWrong) return { length, problem: "invalid float literal", isAtStart: false };
    return { length, kind: "float", text, value };
  }
  if (/^0\d/.test(text) && /[1-9]/.test(text)) {
    const isDecimal = /[89]/.test(text);
    const problem = isDecimal
      ? "invalid int literal"
      : `obsolete form of octal literal; use 0o${text.slice(1)}`;
    return { length, problem, isAtStart: isDecimal };
  }
  return { length, kind: "int", text, value: BigInt(text) };
}

const bases: Readonly<Record<string, { name: string; digits: RegExp }>> = {
  x: { name: "hex", digits: /^[0-9a-fA-F]*/ },
  o: { name: "octal", digits: /^[0-7]*/ },
  b: { name: "binary", digits: /^[01]*/ },
};

function readBased(letter: string, ahead: string): Read {
  const base = bases[letter];
  const digits = base?.digits.exec(ahead)?.[0] ?? "";
  if (digits === "")
    return { length: 2, problem: `invalid ${base?.name ?? ""} literal`, isAtStart: letter === "x" };
  const text = `0${letter}${digits}`;
  return { length: text.length, kind: "int", text, value: BigInt(text) };
}
