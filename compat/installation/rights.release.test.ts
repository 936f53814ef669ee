import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createGitRepository, lacking, lackingRealCluster } from "@capstan/testkit";
import { doWork, workFiles } from "./do-work.ts";
import { parts, startParts } from "./start-parts.ts";
import { chart, deployFolder, openInstallWorld } from "./tools.ts";

const skip = lackingRealCluster() || lacking("helm3", "kubectl");

test("with the tokens of the chart's accounts the programs do the whole work, and none is refused anything", {
  skip,
}, async () => {
  await using opened = new AsyncDisposableStack();
  const world = opened.use(await openInstallWorld({ nodes: false }));
  const repository = opened.use(await createGitRepository(workFiles));
  const namespace = "capstan-system";
  await world.kubectl("apply", "--server-side", "-k", join(deployFolder, "crds"));
  await world.helm("install", "capstan", chart, "-n", namespace, "--create-namespace");
  const started = opened.use(await startParts({ world, namespace, allowFolder: repository.dir }));
  const outputs = () =>
    parts.map((part) => `${part}:\n${started.processes[part].output().slice(-8_000)}`).join("\n");
  try {
    await doWork({ world, parts: started, repository, namespace });
  } catch (error) {
    throw new Error(`${String(error)}\n${outputs()}`);
  }
  for (const part of parts) {
    const said = started.processes[part].output();
    assert.doesNotMatch(
      said,
      /forbidden|is not allowed|cannot (?:get|list|watch|create|update|patch|delete)/i,
      part,
    );
    assert.equal(started.processes[part].ended(), undefined, part);
  }
});
