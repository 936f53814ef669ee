/** Reads the struct types of one Go source file, as far as kube-apiserver's types.go files need it. */

export interface GoField {
  name: string;
  /** As written, without spaces: "*int32", "[]core.Volume". */
  type: string;
  /** The name in JSON; empty where the field is inlined or has no tag. */
  json: string;
  embedded: boolean;
}

export interface GoTypes {
  structs: Map<string, GoField[]>;
  /** Types that are no structs: "DNSPolicy" → "string". */
  named: Map<string, string>;
}

export function readGoTypes(source: string): GoTypes {
  const types: GoTypes = { structs: new Map(), named: new Map() };
  let fields: GoField[] | undefined;
  for (const raw of source.replaceAll(/\/\*[\s\S]*?\*\//g, "").split("\n")) {
    const line = withoutComment(raw).trim();
    if (fields !== undefined) {
      if (line === "}") fields = undefined;
      else if (line !== "") fields.push(readField(line));
      continue;
    }
    const struct = /^type (\w+) struct \{(\})?$/.exec(line);
    const named = /^type (\w+) =? ?([\w.[\]*]+)$/.exec(line);
    if (named) types.named.set(named[1] ?? "", named[2] ?? "");
    if (!struct) continue;
    const found: GoField[] = [];
    types.structs.set(struct[1] ?? "", found);
    if (!struct[2]) fields = found;
  }
  return types;
}

function withoutComment(line: string): string {
  const at = line.indexOf("//");
  const tag = line.indexOf("`");
  return at < 0 || (tag >= 0 && tag < at) ? line : line.slice(0, at);
}

function readField(line: string): GoField {
  const [, declared = "", tag = ""] = /^([^`]*)(`.*`)?/.exec(line) ?? [];
  const [first = "", second] = declared.trim().split(/\s+/);
  const json = /json:"([^",]*)/.exec(tag)?.[1] ?? "";
  if (second === undefined) return { name: first.split(".").at(-1) ?? "", type: first, json, embedded: true };
  return { name: first, type: second, json, embedded: false };
}
