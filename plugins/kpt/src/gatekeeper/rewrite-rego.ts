import { PackageError } from "../trace-error.ts";

export interface RegoModule {
  /** With its package and what it names of the libraries moved below the prefix; lines stay where they were. */
  source: string;
  /** Names of its rules and of all else that it speaks of. */
  names: ReadonlySet<string>;
}

interface Token {
  text: string;
  /** Among all, white space and comments too. */
  at: number;
}

const pattern = /#[^\n]*|"(?:[^"\\\n]|\\.)*"|`[^`]*`|[A-Za-z_]\w*|\s+|[\s\S]/g;
const isBlank = (text: string): boolean => text.startsWith("#") || text.trim() === "";

/** The module of a template itself: `data.lib` and `data.inventory` are all that it may name of the data. */
export function rewriteEntry(source: string, prefix: string): RegoModule {
  return rewrite(source, prefix, () => `${prefix}.main`);
}

/** One of its libraries, whose package has to be below `lib`. */
export function rewriteLibrary(source: string, prefix: string): RegoModule {
  return rewrite(source, prefix, (name) => {
    if (!/^lib[.[]/.test(name))
      throw new PackageError(`invalid lib prefix: path data.${name} not found in lib prefixes`);
    return `${prefix}.${name}`;
  });
}

function rewrite(source: string, prefix: string, rename: (name: string) => string): RegoModule {
  const parts = source.match(pattern) ?? [];
  const tokens = parts.flatMap((text, at): Token[] => (isBlank(text) ? [] : [{ text, at }]));
  const [first] = tokens;
  if (!first) throw new PackageError("rego_parse_error: empty module");
  if (first.text !== "package") throw new PackageError("rego_parse_error: package expected");
  const nameEnd = endOfReference(tokens, 1);
  const name = tokens.slice(1, nameEnd).map(({ text }) => text);
  tokens.slice(1, nameEnd).forEach(({ at }, index) => {
    parts[at] = index === 0 ? rename(name.join("")) : "";
  });
  const names = new Set<string>();
  for (let index = nameEnd; index < tokens.length; index++) {
    const token = tokens[index];
    if (!token) break;
    const before = tokens[index - 1]?.text;
    if (before === "import") checkImport(tokens, index);
    if (before !== "." && /^[A-Za-z_]/.test(token.text)) names.add(token.text);
    if (token.text === "data" && before !== "." && refersToLibrary(tokens, index))
      parts[token.at] = `data.${prefix}`;
  }
  return { source: parts.join(""), names };
}

/** Behind `a.b["c"]`. */
function endOfReference(tokens: readonly Token[], start: number): number {
  let end = start + 1;
  for (;;) {
    const mark = tokens[end]?.text;
    if (mark === ".") end += 2;
    else if (mark === "[" && tokens[end + 2]?.text === "]") end += 3;
    else return Math.min(end, tokens.length);
  }
}

function checkImport(tokens: readonly Token[], index: number): void {
  const start = tokens[index]?.text;
  const isLibrary = start === "data" && tokens[index + 2]?.text === "lib";
  if (!isLibrary && start !== "future" && start !== "rego")
    throw new PackageError("invalid import: bad import");
}

function refersToLibrary(tokens: readonly Token[], index: number): boolean {
  const [mark, name] = [tokens[index + 1]?.text, tokens[index + 2]?.text];
  if (mark === "." && name === "lib") return true;
  if ((mark === "." && name === "inventory") || (mark === "[" && name === '"inventory"')) return false;
  const shown = tokens.slice(index, endOfReference(tokens, index)).map(({ text }) => text);
  throw new PackageError(`invalid data references: disallowed ref ${shown.join("")}`);
}
