import type { FoundSetting } from "./find-settings.ts";

/** "annotation a/b is not honoured: …": what a condition, a log line or a person is told. */
export function describeSetting({ part, key, note }: FoundSetting): string {
  const what = part === "key" || part === "field" || part === "label value" ? key : `${part} ${key}`;
  return `${what} is not honoured: ${note}`;
}
