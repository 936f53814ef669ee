/**
 * `node bench/first-sync.ts [--apps 200] [--source plain|helm|kustomize] [--peers capstan-embedded,…]
 * [--kubeconfig FILE]`: from the creation of N automated applications until all are Synced and Healthy. Where they are
 * made by helm or kustomize, what these programs alone take for all of them, two at a time, stands at the end.
 */
import { type RunOptions, runBench } from "./run.ts";
import { createApplications, createSampleRepository, untilSettled } from "./sample-applications.ts";
import { toolsAlone } from "./tools-alone.ts";

let repoUrl = "";
let dir = "";
await using closing = new AsyncDisposableStack();
const options: RunOptions = await runBench({
  title: "first-sync",
  prepare: async (_world, { count, kind }) => {
    const repository = closing.use(await createSampleRepository(count, kind));
    repoUrl = repository.url;
    dir = repository.dir;
  },
  measure: async ({ kube }, { count, signal }) => {
    await createApplications(kube, { count, repoUrl, signal });
    await untilSettled(kube, { count, signal });
  },
});
// No peer may have played.
const alone = dir === "" ? undefined : await toolsAlone(dir, options);
if (alone !== undefined)
  console.log(`${options.kind} alone, ${options.count} times, two at a time: wall ${alone.toFixed(2)} s`);
