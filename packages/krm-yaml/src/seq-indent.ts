export type SeqIndent = "wide" | "compact";

/** How far a file indents its lists, told from the first below a key (kyaml yaml/util.go DeriveSeqIndentStyle). */
export function seqIndentOf(source: string): SeqIndent {
  const lines = source.split("\n");
  for (const [at, line] of lines.entries()) {
    const dash = /^( *)- /.exec(line)?.[1];
    if (dash === undefined) continue;
    const keyLine = lineAbove(lines, at);
    const trimmed = keyLine.trim();
    if (trimmed.split(":").length !== 2 || !trimmed.endsWith(":")) continue;
    const key = keyLine.length - keyLine.trimStart().length;
    if (dash.length === key) return "compact";
    if (dash.length - key === 2) return "wide";
  }
  return "compact";
}

function lineAbove(lines: readonly string[], index: number): string {
  for (let at = index - 1; at >= 0; at--) {
    const line = lines[at] ?? "";
    if (!line.trim().startsWith("#")) return line.split("#")[0] ?? "";
  }
  return "";
}
