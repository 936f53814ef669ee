import { goRegexp, quoteRegexp } from "../regexp.ts";

/**
 * Globs over paths as mattn/go-zglob reads them (`spec.discover.find.glob`), which is by an expression of Go: `*` stays
 * within one folder, `**` crosses them only before a slash, `?` means itself, braces hold plain words, and a class is
 * the expression's own. Throws GoRegexpError for a class that is none.
 */
export function compileZglob(pattern: string): (path: string) => boolean {
  const source = pattern.replace(/\*\*\/|\*|\[[^\]]+\]|\{[^}]+\}|\\.|[^*[{\\]+|./gsu, (token) => {
    if (token === "**/") return "(.*/)?";
    if (token === "*") return "[^/]*";
    if (token.startsWith("[") && token.length > 1) return token;
    if (token.startsWith("{") && token.length > 1)
      return `(${token.slice(1, -1).split(",").map(quoteRegexp).join("|")})`;
    return quoteRegexp(token.startsWith("\\") && token.length > 1 ? token.slice(1) : token);
  });
  const expression = goRegexp(`(?s)^${source}$`);
  return (path) => expression.test(path);
}
