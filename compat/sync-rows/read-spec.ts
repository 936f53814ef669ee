import { createHash } from "node:crypto";

export interface SpecRow {
  /** As the heading numbers it: "6.2". */
  readonly section: string;
  /** Of what the row says: another text is another row. */
  readonly digest: string;
}

const isRuling = (line: string): boolean => /^\|[\s|:-]+\|$/.test(line);

/**
 * What a specification in Markdown says, piece by piece: each row of a table but its heading, each item of a list, each
 * paragraph and each block of code is one row; a line that only leads in is none. Its text is told by a digest alone.
 */
export function readSpec(text: string): SpecRow[] {
  const rows: SpecRow[] = [];
  let section = "";
  let piece: string[] = [];
  const end = (): void => {
    const said = piece.join(" ").trim();
    if (said !== "" && section !== "" && !said.endsWith(":")) rows.push({ section, digest: digestOf(said) });
    piece = [];
  };
  const lines = text.split("\n");
  let isCode = false;
  for (const [index, line] of lines.entries()) {
    const isFence = line.startsWith("```");
    if (isFence) isCode = !isCode;
    if (isCode || isFence) {
      piece.push(line);
      continue;
    }
    const heading = /^#+ (\d[\d.]*?)\.? /.exec(line);
    const isHeadOfTable = line.startsWith("|") && isRuling(lines[index + 1] ?? "");
    if (/^(-|\d+\.|\|) ?/.test(line) || line.trim() === "" || line === "---" || heading) end();
    if (heading) section = heading[1] ?? "";
    if (heading || line === "---" || isRuling(line) || isHeadOfTable) continue;
    piece.push(line.trim());
  }
  end();
  return rows;
}

const digestOf = (said: string): string => createHash("sha256").update(said).digest("hex").slice(0, 6);
