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

/** An expression in RE2's syntax, put into JavaScript's: flags at the head, `(?P<name>`, `\z`, `\A`, classes. Throws where it is none. */
export function goRegexp(pattern: string): RegExp {
  const leading = /^\(\?([ims]+)\)/.exec(pattern);
  const source = pattern
    .slice(leading?.[0].length ?? 0)
    .replaceAll("(?P<", "(?<")
    .replaceAll("\\A", "^")
    .replaceAll("\\z", "$")
    .replace(/\[:(\w+):\]/g, (whole, name: string) => classes.get(name) ?? whole);
  return new RegExp(source, leading?.[1]);
}
