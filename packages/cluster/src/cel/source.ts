import { hasMacro } from "./has-macro.ts";

/** Functions that the library has already, with other rules than Kubernetes'; the names are of the same length. */
const renamed: ReadonlyMap<string, string> = new Map([
  ["matches", "reMatch"],
  ["has", hasMacro],
]);
const originals = new Map([...renamed].map(([from, to]) => [to, from]));

const token =
  /(?:[rR]?[bB]?|[bB][rR])(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\/\/[^\n]*|\.\s*([a-zA-Z]+)(?=\s*\()|(?<!\w)(has)(?=\s*\()/g;

/** The expression as the library gets it: every place in it stays where it was. */
export function toLibrary(expression: string): string {
  return expression.replaceAll(token, (whole, method: string | undefined, macro: string | undefined) => {
    const name = method === "has" ? undefined : (method ?? macro);
    const other = name === undefined ? undefined : renamed.get(name);
    return name === undefined || other === undefined ? whole : whole.replace(name, other);
  });
}

export function originalName(name: string): string {
  return originals.get(name) ?? name;
}
