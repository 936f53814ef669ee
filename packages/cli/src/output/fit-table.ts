import { plainLength } from "./plain-length.ts";

type Row = readonly string[];

interface Fitted {
  readonly rows: readonly Row[];
  /** Of columns that are not shown, for all rows say the same there. */
  readonly leftOut: readonly string[];
}

/** What a cell keeps while others could be left out, and in any case: below it says too little. */
const [comfortable, narrowest] = [24, 14];

/**
 * A table, its names in the first row, for a terminal of `room` columns: long cells lose their middle, and where that is
 * not enough, columns are left out that tell no row from another, the last of them first. What is still too wide then
 * stays so. The first column is what people type next: it stays whole.
 */
export function fitTable(rows: readonly Row[], { gap, room }: { gap: number; room: number }): Fitted {
  let shown = [...(rows[0] ?? []).keys()];
  const left = () => room - gap * (shown.length - 1);
  for (const column of alike(rows).toReversed()) {
    if (sum(widthsOf(narrow(pick(rows, shown), left(), comfortable))) <= left()) break;
    shown = shown.filter((one) => one !== column);
  }
  const [names = []] = rows;
  const fitted = narrow(pick(rows, shown), left(), narrowest);
  return { rows: fitted, leftOut: names.filter((_name, column) => !shown.includes(column)) };
}

function pick(rows: readonly Row[], columns: readonly number[]): Row[] {
  return rows.map((row) => columns.map((column) => row[column] ?? ""));
}

/** What people look at a list for, also where it is the same in each row. */
const wanted = /^(?:STATUS|HEALTH)$/;

/** Columns in which two rows and more say the same; the first says which row it is. */
function alike([names = [], ...rows]: readonly Row[]): number[] {
  if (rows.length < 2) return [];
  const isAlike = (column: number) => rows.every((row) => row[column] === rows[0]?.[column]);
  return [...names.keys()].filter(
    (column) => column > 0 && !wanted.test(names[column] ?? "") && isAlike(column),
  );
}

function narrow(rows: readonly Row[], room: number, least: number): Row[] {
  const widths = widthsOf(rows);
  for (let over = sum(widths) - room; over > 0; over -= 1) {
    const width = Math.max(...widths.slice(1));
    if (width <= least) break;
    widths[widths.indexOf(width, 1)] = width - 1;
  }
  return rows.map((row) => row.map((cell, column) => cut(cell, widths[column] ?? 0)));
}

/** Names and addresses differ at their ends. A painted cell is a word of a few letters. */
function cut(cell: string, width: number): string {
  const letters = [...cell];
  if (letters.length <= width || plainLength(cell) < letters.length) return cell;
  const head = Math.floor((width - 1) / 2);
  return `${letters.slice(0, head).join("")}…${letters.slice(head + 1 - width).join("")}`;
}

function widthsOf(rows: readonly Row[]): number[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, plainLength(cell));
  return widths;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
