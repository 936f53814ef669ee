/** From the webhook of a commit in the sample repository until its change is in the cluster, over and over. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isSettled, openGitRepository, startCapstan, untilApplication } from "@capstan/testkit";
import { programFlags } from "@capstan/testkit/program-flags";
import { postPush } from "./worlds.ts";

const { values } = programFlags({ options: { runs: { type: "string" } } });
const runs = Number(values.runs ?? 20);
await using capstan = await startCapstan();
for (const name of ["plain", "kustomized", "shop"]) await untilApplication(capstan.kube, name, isSettled);
const repository = openGitRepository(join(capstan.dataDir, "samples"));
const file = join(repository.dir, "plain", "config.yaml");
const signal = AbortSignal.timeout(300_000);
const type = { apiVersion: "v1", kind: "ConfigMap", namespace: "plain" };
const took: number[] = [];

for (let run = 0; run < runs; run += 1) {
  const text = `run ${run}`;
  await writeFile(file, (await readFile(file, "utf8")).replace(/text: .*/, `text: ${text}`));
  const before = await repository.git("rev-parse", "HEAD");
  const after = await repository.commit({});
  const { resourceVersion } = await capstan.kube.list(type, signal);
  const watching = new AbortController();
  const seen = (async () => {
    const events = capstan.kube.watch(
      { ...type, resourceVersion },
      AbortSignal.any([signal, watching.signal]),
    );
    for await (const { object } of events)
      if (JSON.stringify(object.data)?.includes(text)) return performance.now();
    throw new Error("the watch ended");
  })();
  await sleep(100);
  const started = performance.now();
  await postPush(capstan.url, repository.url, { before, after, files: ["plain/config.yaml"] });
  took.push((await seen) - started);
  watching.abort();
  await sleep(300);
}

const sorted = took.toSorted((left, right) => left - right);
const at = (share: number): string =>
  (sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)] ?? 0).toFixed(0);
console.log(`webhook to cluster, ${runs} commits: median ${at(0.5)} ms, p90 ${at(0.9)} ms, max ${at(1)} ms`);
