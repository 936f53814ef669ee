/** What N settled applications cost in 30 s in which nothing happens. */
import { setTimeout as sleep } from "node:timers/promises";
import { runBench } from "./run.ts";
import { createApplications, createSampleRepository, untilSettled } from "./sample-applications.ts";

await using closing = new AsyncDisposableStack();
await runBench({
  title: "steady-state: 30 s",
  prepare: async ({ kube }, { count, signal }) => {
    const repository = closing.use(await createSampleRepository(count));
    await createApplications(kube, { count, repoUrl: repository.url, signal });
    await untilSettled(kube, { count, signal });
    // A thread that rests gives back once what the sync has left behind (processes/surroundings/memory-at-rest.ts).
    await sleep(30_000);
  },
  measure: async () => {
    await sleep(30_000);
  },
});
