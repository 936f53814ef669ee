import { UsageError } from "./command.ts";

interface Pair {
  name: string;
  value: string;
}

/** `name=value` of a flag that may be given several times, in the order given. */
export function listPairs(flag: string, texts: readonly string[] = []): Pair[] {
  return texts.map((text) => {
    const equals = text.indexOf("=");
    if (equals <= 0) throw new UsageError(`--${flag}: "${text}" is not name=value`);
    return { name: text.slice(0, equals), value: text.slice(equals + 1) };
  });
}

/** The same by name; the last of a name counts. */
export function readPairs(flag: string, texts?: readonly string[]): Record<string, string> {
  return Object.fromEntries(listPairs(flag, texts).map(({ name, value }) => [name, value]));
}
