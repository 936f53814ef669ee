/** One commit that touches one of N applications of one repository, told by a webhook, until all are at that commit. */
import type { GitRepository } from "@capstan/testkit";
import { runBench } from "./run.ts";
import { createApplications, createSampleRepository, filesOf, untilSettled } from "./sample-applications.ts";

const touched = 7;
let repository: GitRepository | undefined;
let before = "";
await using closing = new AsyncDisposableStack();
await runBench({
  title: "one-change",
  prepare: async ({ kube }, { count, kind, signal }) => {
    repository = closing.use(await createSampleRepository(count, kind));
    before = await repository.git("rev-parse", "HEAD");
    await createApplications(kube, { count, repoUrl: repository.url, signal });
    await untilSettled(kube, { count, signal });
  },
  measure: async (world, { count, kind, signal }) => {
    if (!repository) throw new Error("not prepared");
    const files = filesOf(touched, "second", kind);
    const revision = await repository.commit(files);
    await world.push(repository.url, { before, after: revision, files: Object.keys(files) });
    await untilSettled(world.kube, { count, revision, signal });
  },
});
