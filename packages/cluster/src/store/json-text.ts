declare global {
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
    rawJSON(text: string): object;
  }
}

const longInteger = /\d{16}/;
const wholeNumber = /^-?\d+$/;

/** Parses JSON; integers that a double cannot hold come back as bigint, as Go keeps int64 exact. */
export function parseJson(text: string): unknown {
  if (!longInteger.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === "number" &&
    !Number.isSafeInteger(value) &&
    source !== undefined &&
    wholeNumber.test(source)
      ? BigInt(source)
      : value,
  );
}

/** The inverse of parseJson. The replacer is slow, so it runs only when a bigint is met. */
export function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_key, member: unknown) =>
      typeof member === "bigint" ? JSON.rawJSON(String(member)) : member,
    );
  }
}
