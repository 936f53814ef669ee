/**
 * `node bench/webhook-latency.ts [--apps 200] [--runs 20]`: from the webhook of a commit that changes one of N
 * applications of one repository until its object is changed in the cluster, and until all are at that commit.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type GitRepository, startCapstan } from "@capstan/testkit";
import { programFlags, wholeNumber } from "@capstan/testkit/program-flags";
import { createApplications, createSampleRepository, filesOf, untilSettled } from "./sample-applications.ts";
import { postPush, upFlags } from "./worlds.ts";

const { values } = programFlags({
  options: { apps: { type: "string", default: "200" }, runs: { type: "string", default: "20" } },
});
const count = wholeNumber("apps", values.apps);
const runs = wholeNumber("runs", values.runs);
const signal = AbortSignal.timeout(15 * 60_000);
const restMs = 300;

await using repository = await createSampleRepository(count);
await using capstan = await startCapstan({ flags: upFlags(undefined) });
await createApplications(capstan.kube, { count, repoUrl: repository.url, signal });
await untilSettled(capstan.kube, { count, signal });
const took: { object: number; all: number }[] = [];
for (let run = 0; run < runs; run += 1) took.push(await commitOne(repository, run));
console.log(`${count} applications, ${runs} commits that change one of them`);
for (const what of ["object", "all"] as const) {
  const sorted = took.map((one) => one[what]).toSorted((left, right) => left - right);
  const at = (share: number): string =>
    (sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)] ?? 0).toFixed(0);
  console.log(`webhook to ${what}: median ${at(0.5)} ms, p90 ${at(0.9)} ms, max ${at(1)} ms`);
}

async function commitOne({ git, url, commit }: GitRepository, run: number) {
  await sleep(restMs, undefined, { signal });
  const index = run % count;
  const files = filesOf(index, `run ${run}`);
  const before = await git("rev-parse", "HEAD");
  const after = await commit(files);
  const seen = untilObject(`app-${index}`, `run ${run}`);
  await sleep(100, undefined, { signal });
  const started = performance.now();
  await postPush(capstan.url, url, { before, after, files: Object.keys(files) });
  const object = (await seen) - started;
  await untilSettled(capstan.kube, { count, revision: after, signal });
  return { object, all: performance.now() - started };
}

async function untilObject(name: string, value: string): Promise<number> {
  const type = { apiVersion: "v1", kind: "ConfigMap", namespace: "default" };
  const { resourceVersion } = await capstan.kube.list(type, signal);
  for await (const { object } of capstan.kube.watch({ ...type, resourceVersion }, signal))
    if (object.metadata.name === name && JSON.stringify(object.data).includes(value))
      return performance.now();
  throw new Error("the watch ended");
}
