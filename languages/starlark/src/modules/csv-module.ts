import { type Arguments, native } from "../builtins/arguments.ts";
import { StarlarkError } from "../script-error.ts";
import { Module } from "../values/callables.ts";
import { display } from "../values/print-value.ts";
import { StarList, StarTuple } from "../values/sequences.ts";
import { spend } from "../values/steps.ts";
import type { Value } from "../values/value.ts";
import { type CsvRules, parseCsv } from "./parse-csv.ts";

/** qri-io/starlib encoding/csv. */
export const csvModule = new Module("csv", [
  ["read_all", native("read_all", readAll)],
  ["write_all", native("write_all", writeAll)],
]);

function readAll(args: Arguments): Value {
  const names = ["comma?", "comment?", "lazy_quotes?", "trim_leading_space?", "fields_per_record?", "skip?"];
  const source = args.fit("source", ...names).text(0);
  spend(source.length);
  const rules: CsvRules = {
    comma: single(args.text(1, ""), "comma") ?? ",",
    comment: single(args.text(2, ""), "comment"),
    isLazy: args.bool(3, false),
    isTrimmed: args.bool(4, false),
  };
  const rows = parseCsv(source, rules);
  checkWidths(rows, args.int(5, 0));
  return new StarList(rows.slice(args.int(6, 0)).map((row) => new StarList(row)));
}

function single(text: string, name: string): string | undefined {
  if (text.length > 1) throw new StarlarkError(`expected ${name} param to be a single-character string`);
  return text === "" ? undefined : text;
}

/** 0: as wide as the first; below 0: any. */
function checkWidths(rows: readonly string[][], wanted: number): void {
  const width = wanted === 0 ? rows[0]?.length : wanted;
  const wrong = wanted < 0 ? -1 : rows.findIndex((row) => row.length !== width);
  if (wrong >= 0) throw new StarlarkError(`record on line ${wrong + 1}: wrong number of fields`);
}

function writeAll(args: Arguments): Value {
  const source = args.fit("source", "comma?").value(0);
  const comma = single(args.text(1, ""), "comma") ?? ",";
  if (!isRow(source)) throw new StarlarkError("expected value to be an array type");
  const lines = source.items.map((row, index) => {
    if (!isRow(row)) throw new StarlarkError(`row ${index} is not an array type`);
    spend(row.items.length);
    return `${row.items.map((cell) => writeCell(display(cell), comma)).join(comma)}\n`;
  });
  return lines.join("");
}

const isRow = (value: Value): value is StarList | StarTuple =>
  value instanceof StarList || value instanceof StarTuple;

function writeCell(text: string, comma: string): string {
  const isPlain = !text.includes(comma) && !/["\r\n]|^[ \t]/.test(text) && text !== "\\.";
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}
