import { randomUUID } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { CapstanError, isCapstanError } from "@capstan/model";
import { extractArchive, fileName, makeBelow, type Stage, statBelow } from "@capstan/plugin-kit";
import type { RemoteChart } from "./references.ts";

const limits = { maxTreeBytes: 2 ** 28, maxTreeFiles: 20_000 };

/**
 * Puts charts from elsewhere to where kustomize looks before it downloads (HelmChartInflationGenerator.go). One that is
 * there already stays, as kustomize has it.
 */
export async function fetchCharts(charts: readonly RemoteChart[], stage: Stage, root: string): Promise<void> {
  for (const chart of charts) {
    const name = fileName(chart.name, "helmCharts.name");
    const folder = chart.version === "" ? [] : [fileName(`${name}-${chart.version}`, "helmCharts.version")];
    const place = [chart.home, ...folder].join("/");
    if (statBelow(root, `${place}/${name}`)) continue;
    const { repository, version } = chart;
    const { data } = await stage.chart({ repository, name, version: version === "" ? "*" : version });
    await unpack(data, { name, to: join(makeBelow(root, place), name) }, stage);
  }
}

async function unpack(data: Buffer, { name, to }: { name: string; to: string }, stage: Stage): Promise<void> {
  const directory = join((await stage.workspace()).scratch, `chart-${randomUUID()}`);
  await mkdir(directory);
  await extractArchive(Readable.from([data]), {
    ...limits,
    directory,
    preserveFileMode: false,
    signal: stage.signal,
  }).catch((error: unknown) => {
    if (isCapstanError(error)) throw error;
    const problem = "its archive cannot be unpacked";
    throw new CapstanError({ code: "FAILED_PRECONDITION", what: `chart ${name}`, problem }, error);
  });
  if (statBelow(directory, name)?.kind !== "directory") {
    const problem = `its archive has no directory ${name}`;
    throw new CapstanError({ code: "FAILED_PRECONDITION", what: `chart ${name}`, problem });
  }
  await rename(join(directory, name), to);
  await rm(directory, { recursive: true });
}
