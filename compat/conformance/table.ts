import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Verdict } from "./e2e-program.ts";

export type ClusterName = "real" | "embedded";

const pathOf = (cluster: ClusterName): string => join(import.meta.dirname, `${cluster}.txt`);

/** What each test did when the table was kept last: a line each, `passed` or `failed` and the test's name. */
export async function readTable(cluster: ClusterName): Promise<Map<string, Verdict>> {
  const text = await readFile(pathOf(cluster), "utf8").catch(() => "");
  const table = new Map<string, Verdict>();
  for (const line of text.split("\n")) {
    const [verdict, name] = [line.slice(0, 6), line.slice(7)];
    if (verdict === "passed" || verdict === "failed") table.set(name, verdict);
  }
  return table;
}

export async function writeTable(cluster: ClusterName, table: ReadonlyMap<string, Verdict>): Promise<void> {
  const lines = [...table].sort(([left], [right]) => (left < right ? -1 : 1));
  await writeFile(pathOf(cluster), lines.map(([name, verdict]) => `${verdict} ${name}\n`).join(""));
}

/** Passed and failed by special interest group, on both clusters. */
export function tableText(
  real: ReadonlyMap<string, Verdict>,
  embedded: ReadonlyMap<string, Verdict>,
): string {
  const names = [...new Set([...real.keys(), ...embedded.keys()])];
  const groups = Map.groupBy(names, (name) => /^\[sig-[\w-]+\]/.exec(name)?.[0] ?? "");
  const rows = [...groups].sort().map(([group, all]) => {
    const passed = (table: ReadonlyMap<string, Verdict>) =>
      all.filter((name) => table.get(name) === "passed");
    const onReal = passed(real);
    const onBoth = onReal.filter((name) => embedded.get(name) === "passed").length;
    const share = `${((100 * onBoth) / Math.max(1, onReal.length)).toFixed(1)} %`;
    return [
      group,
      all.length,
      onReal.length,
      passed(embedded).length,
      `${onBoth} of ${onReal.length}`,
      share,
    ];
  });
  const heads = ["", "tests", "real", "embedded", "of the real one's", ""];
  return [heads, ...rows]
    .map((row) => row.map((cell, column) => pad(String(cell), column === 0 ? -24 : 10)).join("  "))
    .join("\n");
}

const pad = (text: string, width: number): string => (width < 0 ? text.padEnd(-width) : text.padStart(width));
