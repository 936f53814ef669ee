import { UsageError } from "./command.ts";

/** `name=value` of a flag that may be given several times. */
export function readPairs(flag: string, texts: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const equals = text.indexOf("=");
      if (equals <= 0) throw new UsageError(`--${flag}: "${text}" is not name=value`);
      return [text.slice(0, equals), text.slice(equals + 1)];
    }),
  );
}
