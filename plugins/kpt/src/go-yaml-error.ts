import type { LineCounter, YAMLParseError } from "yaml";

/** A syntax error as kpt tells it: in the words and with the line of Go's YAML library, where it has a word of its own. */
export function goYamlError(
  { code, message, pos }: YAMLParseError,
  source: string,
  lines: LineCounter,
): string {
  const tell = (offset: number, problem: string): string =>
    `yaml: line ${lines.linePos(offset).line}: ${problem}`;
  const [start] = pos;
  if (code === "MULTILINE_IMPLICIT_KEY" || message.startsWith("Implicit map keys need"))
    return tell(start, "could not find expected ':'");
  if (message.startsWith("Nested mappings are not allowed")) {
    const colon = source.slice(start).search(/:\s/);
    return tell(start + Math.max(colon, 0), "mapping values are not allowed in this context");
  }
  if (code === "TAB_AS_INDENT" || code === "BAD_SCALAR_START")
    return tell(start, "found character that cannot start any token");
  return tell(start, message.split(/ at line \d|\n/)[0] ?? message);
}
