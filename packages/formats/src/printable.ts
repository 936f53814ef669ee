/**
 * A text as it may be written to a terminal: control characters (but line ends and tabs) stand there as `\u001b`, so
 * that what a tenant wrote into a name or a message moves no cursor, changes no title and hides nothing. Texts without
 * any come back as they are. `keep`: sequences of our own, for colours.
 */
export function printable(text: string, keep?: RegExp): string {
  if (!controls.test(text)) return text;
  if (keep === undefined) return escaped(text);
  let [result, from] = ["", 0];
  for (const found of text.matchAll(keep)) {
    result += escaped(text.slice(from, found.index)) + found[0];
    from = found.index + found[0].length;
  }
  return result + escaped(text.slice(from));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f]/;
const everyControl = new RegExp(controls, "g");

function escaped(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(everyControl, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
