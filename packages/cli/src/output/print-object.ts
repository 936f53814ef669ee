import { stringifyJson } from "@capstan/formats/at-start";
import type { Io } from "../io.ts";

/** Whole objects as a program reads them. YAML's writer is loaded only when it is asked for. */
export async function printObject(
  io: Pick<Io, "out">,
  format: "json" | "yaml",
  value: unknown,
): Promise<void> {
  const { dumpYaml } = await import("@capstan/formats/yaml");
  io.out(format === "json" ? `${stringifyJson(value, 2)}\n` : dumpYaml(value));
}

/** -o of a command that has these formats. */
export const outputFlag = (choices: readonly string[], byDefault?: string) =>
  ({
    kind: "string",
    short: "o",
    help: "Output format",
    choices,
    ...(byDefault === undefined ? {} : { byDefault }),
  }) as const;

interface List<T> {
  readonly items: readonly T[];
  /** By what a script goes on with one of them: `name`, `url`, … */
  line(item: T): string;
  /** For people. */
  table(): string;
}

/** A list as -o says: whole, as a table for people, and in any other format one line for each. */
export async function printList<T>(
  io: Pick<Io, "out">,
  format: string | undefined,
  { items, line, table }: List<T>,
): Promise<void> {
  if (isObjectFormat(format)) await printObject(io, format, items);
  else if (format === undefined || format === "wide") io.out(table());
  else io.out(items.map((item) => `${line(item)}\n`).join(""));
}

export function isObjectFormat(format: string | undefined): format is "json" | "yaml" {
  return format === "json" || format === "yaml";
}
