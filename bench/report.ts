import type { Cost } from "./process-cost.ts";

export interface Result {
  peer: string;
  wallSeconds: number;
  costs: Readonly<Record<string, Cost>>;
  counters: Readonly<Record<string, number>>;
}

/** Programs of the cluster itself: their share is shown apart. */
const clusterPrograms = new Set(["etcd", "kube-apiserver", "kube-controller-manager", "embedded-cluster"]);

/** Of whom is measured. */
export function ownCosts(costs: Readonly<Record<string, Cost>>): [name: string, cost: Cost][] {
  return Object.entries(costs).filter(([name]) => !clusterPrograms.has(name));
}

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);

function row({ peer, wallSeconds, costs }: Result): string {
  const own = ownCosts(costs);
  const cluster = Object.entries(costs).filter(([name]) => clusterPrograms.has(name));
  const cpu = (some: typeof own) => sum(some.map(([, { cpuSeconds }]) => cpuSeconds)).toFixed(2);
  const peak = (some: typeof own) => sum(some.map(([, { peakMegabytes }]) => peakMegabytes)).toFixed(0);
  const now = sum(own.map(([, { megabytes }]) => megabytes)).toFixed(0);
  const cells = [wallSeconds.toFixed(2), cpu(own), peak(own), now, cpu(cluster), peak(cluster)];
  return `${peer.padEnd(18)} ${cells.map((cell) => cell.padStart(11)).join("")}`;
}

/** A line a peer, then the first peer's figures over each other one's. */
export function printReport(title: string, results: readonly Result[]): void {
  const heads = ["wall s", "cpu s", "peak MB", "MB at end", "cluster cpu", "cluster MB"];
  console.log(`\n${title}\n${"".padEnd(18)} ${heads.map((head) => head.padStart(11)).join("")}`);
  for (const result of results) console.log(row(result));
  const [first, ...others] = results;
  for (const other of others)
    if (first)
      console.log(
        `${first.peer} / ${other.peer}: wall ${(first.wallSeconds / other.wallSeconds).toFixed(3)}`,
      );
  for (const { peer, counters, costs } of results) {
    const parts = Object.entries(costs).map(([name, { cpuSeconds }]) => `${name} ${cpuSeconds.toFixed(2)}`);
    if (parts.length > 1) console.log(`${peer}: cpu s: ${parts.join(", ")}`);
    const shown = Object.entries(counters).map(([name, value]) => `${name} ${value}`);
    if (shown.length > 0) console.log(`${peer}: ${shown.join(", ")}`);
  }
}

/** Who waits for something this long measures no time of it. */
export const patienceSeconds = 120;

/** Measured values by what was measured; infinite: not in `patienceSeconds`. */
export type Figures = Readonly<Record<string, number>>;

/** A line a measure, a column a peer, and the first peer's value over the second's. */
export function printFigures(
  title: string,
  results: readonly { peer: string; figures: Figures }[],
  shows: { ratio: boolean } = { ratio: true },
): void {
  const [first, compared] = results;
  const second = shows.ratio ? compared : undefined;
  const heads = [...results.map(({ peer }) => peer), ...(second ? ["ratio"] : [])];
  const cellOf = (value = Number.NaN) => {
    if (value === Number.POSITIVE_INFINITY) return `not in ${patienceSeconds} s`;
    return Number.isNaN(value) ? "-" : value.toFixed(0);
  };
  const texts = [...heads, ...results.flatMap(({ figures }) => Object.values(figures).map(cellOf))];
  const width = Math.max(9, ...texts.map(({ length }) => length)) + 2;
  const line = (name: string, cells: readonly string[]) =>
    `${name.padEnd(46)}${cells.map((cell) => cell.padStart(width)).join("")}`;
  console.log(`\n${title}\n${line("", heads)}`);
  for (const name of Object.keys(first?.figures ?? {})) {
    const shown = results.map(({ figures }) => cellOf(figures[name]));
    const [mine, other] = [first?.figures[name], second?.figures[name]];
    const hasRatio = mine !== undefined && other && Number.isFinite(mine) && Number.isFinite(other);
    const ratio = hasRatio ? [(mine / other).toFixed(2)] : [];
    console.log(line(name, [...shown, ...ratio]));
  }
}
