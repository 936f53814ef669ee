/**
 * Columns as Go's text/tabwriter with `gap` spaces between them gives: each cell padded to the widest of its
 * column, the last one as it is. `plain` measures without colours.
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

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour sequences begin with one
const colours = /\x1b\[\d+m/g;

function plainLength(cell: string): number {
  return [...cell.replace(colours, "")].length;
}
