import type { Io } from "../io.ts";
import { fitTable } from "./fit-table.ts";
import { plainLength } from "./plain-length.ts";

/** How wide a table may be: whoever reads a pipe gets all of it. */
export function roomOf({
  outIsTerminal,
  columns,
}: Pick<Io, "outIsTerminal" | "columns">): number | undefined {
  return outIsTerminal ? columns : undefined;
}

/** A list of `names` and rows for a terminal (`roomOf`), and which columns it does not show. */
export function formatList(rows: readonly (readonly string[])[], room: number | undefined): string {
  const gap = 2;
  if (room === undefined) return formatTable(rows, { gap });
  const { rows: fitted, leftOut } = fitTable(rows, { gap, room });
  const note =
    leftOut.length > 0 ? `(the same in each row, and shown by | cat: ${leftOut.join(", ")})\n` : "";
  return formatTable(fitted, { gap }) + note;
}

/**
 * Columns as Go's text/tabwriter with `gap` spaces between them gives: each cell padded to the widest of its
 * column, the last one as it is.
 */
export function formatTable(rows: readonly (readonly string[])[], { gap = 2 } = {}): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, cell] of row.entries())
      if (index < row.length - 1) widths[index] = Math.max(widths[index] ?? 0, plainLength(cell));
  return rows.map((row) => `${formatRow(row, widths, gap)}\n`).join("");
}

function formatRow(row: readonly string[], widths: readonly number[], gap: number): string {
  return row
    .map((cell, index) => {
      if (index === row.length - 1) return cell;
      return cell + " ".repeat((widths[index] ?? 0) - plainLength(cell) + gap);
    })
    .join("");
}
