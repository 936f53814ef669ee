import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createGitRepository, lacking, lackingRealCluster } from "@capstan/testkit";
import { doWork, workFiles } from "./do-work.ts";
import { parts, startParts } from "./start-parts.ts";
import { chart, deployFolder, openInstallWorld } from "./tools.ts";

const skip = lackingRealCluster() || lacking("helm3", "kubectl");

for (const clusterWide of [true, false])
  test(`with the tokens of the chart's accounts the programs do the whole work ${clusterWide ? "in the cluster" : "in their namespace"}, and none is refused anything`, {
    skip,
  }, async () => {
    await using opened = new AsyncDisposableStack();
    const world = opened.use(await openInstallWorld({ nodes: false }));
    const repository = opened.use(await createGitRepository(workFiles));
    const namespace = "capstan-system";
    await world.kubectl("apply", "--server-side", "-k", join(deployFolder, "crds"));
    const words = ["-n", namespace, "--create-namespace", "--set", `clusterWide=${clusterWide}`];
    await world.helm("install", "capstan", chart, ...words);
    const started = opened.use(await startParts({ world, namespace, allowFolder: repository.dir }));
    const saidBy = (part: (typeof parts)[number]): string => started.processes[part].output();
    try {
      await doWork({ world, parts: started, repository, namespace, isNamespaced: !clusterWide });
    } catch (error) {
      throw new Error(
        `${String(error)}\n${parts.map((part) => `${part}:\n${saidBy(part).slice(-8_000)}`).join("\n")}`,
      );
    }
    for (const part of parts) {
      const refused = /forbidden|cannot (?:get|list|watch|create|update|patch|delete)/i;
      assert.doesNotMatch(saidBy(part), refused, part);
      assert.equal(started.processes[part].ended(), undefined, part);
    }
  });
