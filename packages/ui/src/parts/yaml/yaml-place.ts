/** Where the caret stands in a text of YAML, as far as indentation tells: what is being written need not parse yet. */
export interface YamlPlace {
  /** Fields from the outside in; `*` for an entry of a list. */
  readonly path: readonly string[];
  /** What of the name or the value has been typed, and where it begins. */
  readonly typed: string;
  readonly from: number;
  /** The caret is behind `name:`. */
  readonly isValue: boolean;
  /** Of the names that begin here. */
  readonly indent: number;
}

interface Line {
  /** Of the first name, behind the dashes. */
  readonly indent: number;
  readonly dashes: readonly number[];
  readonly text: string;
}

function readLine(line: string): Line {
  const dashes: number[] = [];
  let at = line.length - line.trimStart().length;
  while (/^-(\s|$)/.test(line.slice(at))) {
    dashes.push(at);
    at += 1 + (/^-(\s*)/.exec(line.slice(at))?.[1]?.length ?? 0);
  }
  return { indent: at, dashes, text: line.slice(at) };
}

const nameOf = (text: string) =>
  /^(?:"([^"]*)"|'([^']*)'|([^\s#:][^:]*)):(?:\s|$)/.exec(text)?.slice(1).find(Boolean);

export function placeAt(text: string, caret: number): YamlPlace {
  const start = text.lastIndexOf("\n", caret - 1) + 1;
  const current = text.slice(start, caret);
  const { indent, dashes, text: own } = readLine(current);
  const name = nameOf(own);
  const isValue = name !== undefined;
  const typed = isValue ? own.slice(own.indexOf(":") + 1).trimStart() : own;
  const path: string[] = isValue ? [name] : [];
  let limit = indent;
  for (const dash of dashes.toReversed()) {
    path.unshift("*");
    limit = dash;
  }
  const above = text.slice(0, start).split("\n").slice(0, -1);
  for (const line of above.reverse()) {
    if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
    const before = readLine(line);
    const owner = nameOf(before.text);
    // A list may stand no deeper than its name.
    const isOwner =
      before.indent < limit || (before.indent === limit && path[0] === "*" && before.dashes.length === 0);
    if (isOwner && owner !== undefined) {
      path.unshift(owner);
      limit = before.indent;
    }
    for (const dash of before.dashes.toReversed())
      if (dash < limit) {
        path.unshift("*");
        limit = dash;
      }
    if (limit === 0 && path[0] !== "*") break;
  }
  return { path, typed, from: caret - typed.length, isValue, indent };
}
