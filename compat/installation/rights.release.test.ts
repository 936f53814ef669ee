import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createGitRepository, lacking, lackingRealCluster } from "@capstan/testkit";
import { changeAfterKills } from "./change-after-kills.ts";
import { doWork, type Work, workFiles } from "./do-work.ts";
import { type PartsToStart, parts, saidBy, startParts } from "./start-parts.ts";
import { chart, deployFolder, openInstallWorld } from "./tools.ts";

const skip = lackingRealCluster() || lacking("helm3", "kubectl");
const namespace = "capstan-system";

interface Trial {
  /** Of helm. */
  readonly words: readonly string[];
  readonly counts?: PartsToStart["counts"];
  act(work: Work): Promise<void>;
}

/** The chart is installed, its parts run with its accounts' tokens, and none is refused anything while `act` is done. */
async function tryRights({ words, counts = {}, act }: Trial): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const world = opened.use(await openInstallWorld({ nodes: false }));
  const repository = opened.use(await createGitRepository(workFiles));
  await world.kubectl("apply", "--server-side", "-k", join(deployFolder, "crds"));
  await world.helm("install", "capstan", chart, "-n", namespace, "--create-namespace", ...words);
  const started = opened.use(await startParts({ world, namespace, allowFolder: repository.dir, counts }));
  try {
    await act({ world, parts: started, repository, namespace });
  } catch (error) {
    const said = parts.map((part) => `${part}:\n${saidBy(started, part).slice(-8_000)}`);
    throw new Error(`${String(error)}\n${said.join("\n")}`);
  }
  for (const part of parts) {
    const refused = /forbidden|cannot (?:get|list|watch|create|update|patch|delete)/i;
    assert.doesNotMatch(saidBy(started, part), refused, part);
    for (const one of started.processes[part])
      assert.ok([undefined, "SIGKILL"].includes(one.ended()?.toString()), part);
  }
}

for (const clusterWide of [true, false])
  test(
    `with the tokens of the chart's accounts the programs do the whole work ${clusterWide ? "in the cluster" : "in their namespace"}, and none is refused anything`,
    {
      skip,
    },
    () =>
      tryRights({
        words: ["--set", `clusterWide=${clusterWide}`],
        act: (work) => doWork({ ...work, isNamespaced: !clusterWide }),
      }),
  );

test(
  "three controllers, two of each other part: two controllers, a server and a repo server are killed, and what is committed then is deployed",
  {
    skip,
  },
  () =>
    tryRights({
      words: ["-f", join(chart, "values-ha.yaml")],
      counts: { "repo-server": 2, server: 2, controller: 3, "application-set": 2, notifications: 2 },
      act: changeAfterKills,
    }),
);
