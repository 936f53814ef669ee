/** What Go's unicode.IsSpace holds; JavaScript's own lacks the first and has U+FEFF beside them. */
const blank = "[\\u0085\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const leading = new RegExp(`^${blank}+`);
const isBlank = new RegExp(`^${blank}$`);

/** Without blanks at either end (Go: strings.TrimSpace). */
export function trimBlanks(line: string): string {
  if (!/[\u0085\ufeff]/.test(line)) return line.trim();
  const text = line.replace(leading, "");
  let end = text.length;
  while (end > 0 && isBlank.test(text[end - 1] ?? "")) end -= 1;
  return text.slice(0, end);
}

export function endsWithBlank(text: string): boolean {
  return isBlank.test(text.at(-1) ?? "");
}

export type CsvLine =
  | { readonly fields: readonly string[]; readonly problem?: undefined }
  | { readonly problem: string; readonly fields?: undefined };

const unclosed = "a quote is not closed";

/**
 * The fields of one line, as Go's encoding/csv reads them with TrimLeadingSpace: blanks before a field are dropped,
 * those behind it belong to it; a quote stands at a field's beginning and end, and twice for itself.
 */
export function readCsvLine(line: string): CsvLine {
  const fields: string[] = [];
  let rest = line;
  for (;;) {
    rest = rest.replace(leading, "");
    if (!rest.startsWith('"')) {
      const comma = rest.indexOf(",");
      const field = comma < 0 ? rest : rest.slice(0, comma);
      if (field.includes('"'))
        return { problem: `a quote stands inside the field ${field}; put all of it in quotes` };
      fields.push(field);
      if (comma < 0) return { fields };
      rest = rest.slice(comma + 1);
      continue;
    }
    const end = closingQuote(rest);
    if (end < 0) return { problem: unclosed };
    fields.push(rest.slice(1, end).replaceAll('""', '"'));
    const next = rest[end + 1];
    if (next === undefined) return { fields };
    if (next !== ",") return { problem: `behind the quote that ends "${fields.at(-1)}" stands no comma` };
    rest = rest.slice(end + 2);
  }
}

function closingQuote(text: string): number {
  for (let at = 1; at < text.length; at++) {
    if (text[at] !== '"') continue;
    if (text[at + 1] !== '"') return at;
    at++;
  }
  return -1;
}
