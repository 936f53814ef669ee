/** Parts of a text, trimmed, without empty ones; a separator in quotes does not separate, and quotes stay. */
export function splitList(text: string, separator: string): string[] {
  const parts: string[] = [];
  let part = "";
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    if (quote !== "" && sign === "\\") {
      part += sign + text.charAt(++at);
      continue;
    }
    if (quote === "" && sign === separator) {
      parts.push(part);
      part = "";
      continue;
    }
    if (quote === "" && (sign === '"' || sign === "'")) quote = sign;
    else if (sign === quote) quote = "";
    part += sign;
  }
  if (quote !== "") throw new Error(`a ${quote} is not closed`);
  return [...parts, part].map((one) => one.trim()).filter((one) => one !== "");
}

/** Without a quote at either end. */
export function stripQuotes(text: string): string {
  return text.replace(/^["']/, "").replace(/["']$/, "");
}

/** Without the quotes that enclose all of it. */
export function unquote(text: string): string {
  return /^(["'])((?:(?!\1).)*)\1$/s.exec(text)?.[2] ?? text;
}
