const classes: ReadonlyMap<string, string> = new Map([
  ["alnum", "0-9A-Za-z"],
  ["alpha", "A-Za-z"],
  ["blank", "\\t "],
  ["digit", "0-9"],
  ["lower", "a-z"],
  ["punct", "!-\\/:-@\\[-`{-~"],
  ["space", "\\s"],
  ["upper", "A-Z"],
  ["word", "\\w"],
  ["xdigit", "0-9A-Fa-f"],
]);

/** RE2's syntax in JavaScript's: flags at the head, `(?P<name>`, `\z`, `\A`, classes. Throws where it is none. */
export function translateGoRegexp(pattern: string): { source: string; flags: string } {
  const leading = /^\(\?([ims]+)\)/.exec(pattern);
  const source = pattern
    .slice(leading?.[0].length ?? 0)
    .replaceAll("(?P<", "(?<")
    .replaceAll("\\A", "^")
    .replaceAll("\\z", "$")
    .replace(/\[:(\w+):\]/g, (whole, name: string) => classes.get(name) ?? whole);
  const flags = leading?.[1] ?? "";
  return { source: new RegExp(source, flags).source, flags };
}
