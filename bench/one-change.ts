/** One commit that touches one of N applications of one repository, told by a webhook, until all are at that commit. */
import type { GitRepository } from "@capstan/testkit";
import { runBench } from "./run.ts";
import {
  createApplications,
  createSampleRepository,
  fileOf,
  manifestsOf,
  untilSettled,
} from "./sample-applications.ts";

const touched = 7;
let repository: GitRepository | undefined;
let before = "";
await using closing = new AsyncDisposableStack();
await runBench({
  title: "one-change",
  prepare: async ({ kube }, { count, signal }) => {
    repository = closing.use(await createSampleRepository(count));
    before = await repository.git("rev-parse", "HEAD");
    await createApplications(kube, { count, repoUrl: repository.url, signal });
    await untilSettled(kube, { count, signal });
  },
  measure: async (world, { count, signal }) => {
    if (!repository) throw new Error("not prepared");
    const file = fileOf(touched);
    const revision = await repository.commit({ [file]: manifestsOf(touched, "second") });
    await world.push(repository.url, { before, after: revision, files: [file] });
    await untilSettled(world.kube, { count, revision, signal });
  },
});
