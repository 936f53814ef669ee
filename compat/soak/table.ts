/** What became of one thing that happened. */
export interface Episode {
  event: string;
  /** Until all were at the newest commit; undefined when that was not within the limit. */
  ms: number | undefined;
}

/** What the processes take while nothing happens. */
export interface Rest {
  /** Since the start. */
  minutes: number;
  megabytes: number;
  handles: number;
  /** Seconds of CPU in a second. */
  cpu: number;
  /** Of the cluster, by `up`. */
  watches: number;
  /** Of the data folder. */
  diskMegabytes: number;
  /** Of the repo server's process and what it runs; 0 when there is none. */
  rendererMegabytes: number;
}

/** Rounds by event: how often, how many in time, median and longest of those. */
export function episodeTable(episodes: readonly Episode[]): string[] {
  const byEvent = Map.groupBy(episodes, ({ event }) => event);
  const rows = [...byEvent].map(([event, rounds]) => {
    const times = rounds.flatMap(({ ms }) => (ms === undefined ? [] : [ms])).toSorted((a, b) => a - b);
    const middle = times[Math.floor((times.length - 1) / 2)];
    return [event, `${rounds.length}`, `${times.length}`, seconds(middle), seconds(times.at(-1))];
  });
  return columns([["what happened", "rounds", "in time", "median s", "longest s"], ...rows]);
}

export function restTable(rests: readonly Rest[]): string[] {
  const rows = rests.map((rest) => [
    rest.minutes.toFixed(0),
    rest.megabytes.toFixed(0),
    rest.rendererMegabytes.toFixed(0),
    `${rest.handles}`,
    `${rest.watches}`,
    rest.diskMegabytes.toFixed(1),
    (rest.cpu * 100).toFixed(1),
  ]);
  const head = ["at minute", "up MB", "repo server MB", "handles of up", "watches", "disk MB", "% of a core"];
  return columns([head, ...rows]);
}

function seconds(ms: number | undefined): string {
  return ms === undefined ? "-" : (ms / 1000).toFixed(1);
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const [head = []] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  "),
  );
}
