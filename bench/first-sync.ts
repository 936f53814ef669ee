/** From the creation of N automated applications until all are Synced and Healthy. */
import { runBench } from "./run.ts";
import { createApplications, createSampleRepository, untilSettled } from "./sample-applications.ts";

let repoUrl = "";
await using closing = new AsyncDisposableStack();
await runBench({
  title: "first-sync",
  prepare: async (_world, { count }) => {
    const repository = closing.use(await createSampleRepository(count));
    repoUrl = repository.url;
  },
  measure: async ({ kube }, { count, signal }) => {
    await createApplications(kube, { count, repoUrl, signal });
    await untilSettled(kube, { count, signal });
  },
});
