/** What may stand in a column. */
export type Cell = string | number | boolean;

/** A value for each row; or the values that there are and which of them each row has, without a number the first. */
type Column<T> = readonly T[] | { readonly of: readonly T[]; readonly at: readonly number[] };

/** Rows by columns: what repeats from row to row is told once. Ours alone. */
export interface PackedRows<T> {
  readonly count: number;
  readonly columns: { readonly [K in keyof T]: Column<T[K]> };
}

export function packRows<T extends Readonly<Record<string, Cell>>>(rows: readonly T[]): PackedRows<T> {
  const columns: Record<string, Column<Cell>> = {};
  for (const name of Object.keys(rows[0] ?? {}))
    columns[name] = packColumn(rows.map((row) => row[name] ?? ""));
  // The names are those of the rows.
  return { count: rows.length, columns: columns as PackedRows<T>["columns"] };
}

function packColumn(values: readonly Cell[]): Column<Cell> {
  const places = new Map<Cell, number>();
  for (const value of values) if (!places.has(value)) places.set(value, places.size);
  if (places.size > values.length / 2) return values;
  const at = places.size === 1 ? [] : values.map((value) => places.get(value) ?? 0);
  return { of: [...places.keys()], at };
}

/** The inverse. */
export function unpackRows<T extends Readonly<Record<string, Cell>>>({ count, columns }: PackedRows<T>): T[] {
  const rows = Array.from({ length: count }, (): Record<string, Cell> => ({}));
  for (const [name, column] of Object.entries<Column<Cell>>(columns)) {
    if ("of" in column)
      rows.forEach((row, index) => {
        row[name] = column.of[column.at[index] ?? 0] ?? "";
      });
    else
      rows.forEach((row, index) => {
        row[name] = column[index] ?? "";
      });
  }
  // Each has every column.
  return rows as T[];
}
