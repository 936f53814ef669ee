/**
 * A commit while a step is under way: the same syncs begin in the same order here and with the real controller of sets.
 * Their states are not compared: the real one of 3.2 goes on asking for a sync that is under way.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { KubeClient } from "@capstan/kube";
import { lackingArgoCD } from "@capstan/testkit";
import { PlayedRollout, untilQuiet } from "./play-rollouts.ts";
import { pushedCases } from "./rolling-cases.ts";
import { openRolloutClusters } from "./rollout-clusters.ts";

const skip = lackingArgoCD();
const opened = new AsyncDisposableStack();
/** More turns than any of them takes. */
const mostTurns = 30;
/** What the real one asks for again is not waited for longer. */
const longestMs = 6_000;
let real: ReadonlyMap<string, PlayedRollout>;
let ours: ReadonlyMap<string, PlayedRollout>;

before(async () => {
  if (skip) return;
  const [theirs, own] = await Promise.all((await openRolloutClusters(opened)).map(play));
  assert.ok(theirs && own);
  [real, ours] = [theirs, own];
});
after(() => opened.disposeAsync());

async function play(kube: KubeClient): Promise<ReadonlyMap<string, PlayedRollout>> {
  const cases = Object.entries(pushedCases).map(([name, one]) => ({
    name,
    rollout: new PlayedRollout(kube, name, one),
    acts: [...(one.acts ?? [])],
  }));
  const rollouts = cases.map(({ rollout }) => rollout);
  for (const rollout of rollouts) await rollout.begin();
  for (let turn = 0; turn < mostTurns; turn += 1) {
    const { apps } = await untilQuiet(kube, rollouts, { longestMs });
    let isOver = true;
    for (const { rollout, acts } of cases) {
      const went = await rollout.goOn(apps);
      const act = went ? undefined : acts.shift();
      if (act) await rollout.act(act, apps);
      if (went || act) isOver = false;
    }
    if (isOver) break;
  }
  return new Map(cases.map(({ name, rollout }) => [name, rollout]));
}

for (const name of Object.keys(pushedCases))
  test(`${name}: as the real one`, { skip }, () => {
    const [theirs, own] = [real.get(name)?.syncs, ours.get(name)?.syncs];
    assert.ok(theirs && theirs.length > 8);
    assert.deepEqual(own, theirs);
  });
