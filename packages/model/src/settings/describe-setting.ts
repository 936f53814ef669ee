import type { FoundSetting } from "./find-settings.ts";

/** "annotation a/b is not honoured: …": what a condition, a log line or a person is told. */
export function describeSetting({ part, key, known, note }: FoundSetting): string {
  const what = part === "key" || part === "field" || part === "label value" ? key : `${part} ${key}`;
  return `${what} ${known?.standing === "refused" ? "is refused" : "is not honoured"}: ${note}`;
}
