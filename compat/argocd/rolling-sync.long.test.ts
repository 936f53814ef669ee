/** The same progressive syncs go the same way here and with the real controller of sets, turn by turn. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { equalJson } from "@capstan/formats";
import type { KubeClient } from "@capstan/kube";
import { lackingArgoCD } from "@capstan/testkit";
import { PlayedRollout, untilQuiet } from "./play-rollouts.ts";
import { rollingCases } from "./rolling-cases.ts";
import { openRolloutClusters } from "./rollout-clusters.ts";

const skip = lackingArgoCD();
const opened = new AsyncDisposableStack();
/** More turns than any of them takes. */
const mostTurns = 60;
/** How often both are read again, for longer, where they differ: one may only be slower. */
const patience = 3;
const briefly = { quietMs: 800 };

/** Of the release in testenv. */
const differences: Readonly<Record<string, string>> = {
  "selected-twice": "there an Application that two steps select is never synced, and the rollout never ends",
  "stuck-failed": "there a sync that failed leaves the rollout Pending for good, also once it is healthy",
  reverse: "there the set goes at once, and all of its Applications with it",
};

/** Those that go different ways: they are not waited for. */
const parted = new Set(Object.keys(differences));

interface Side {
  readonly kube: KubeClient;
  readonly played: ReadonlyMap<string, PlayedRollout>;
}

type Trace = readonly (readonly string[])[];
const traces = new Map<string, { ours: Trace; real: Trace }>();

before(async () => {
  if (skip) return;
  const [real, ours] = (await openRolloutClusters(opened)).map(sideOf);
  assert.ok(real && ours);
  for (const one of [...real.played.values(), ...ours.played.values()]) await one.begin();
  const told = new Map(Object.keys(rollingCases).map((name) => [name, { ours: [], real: [] } as Told]));
  const acts = new Map(Object.entries(rollingCases).map(([name, one]) => [name, [...(one.acts ?? [])]]));
  const went = new Set(told.keys());
  for (let turn = 0; turn < mostTurns; turn += 1) {
    const seen = await seeBoth({ real, ours });
    let isOver = true;
    for (const [name, trace] of told) {
      const isOther = [
        keep(trace.ours, seen.ours.get(name) ?? []),
        keep(trace.real, seen.real.get(name) ?? []),
      ].includes(true);
      const [a, b] = [real.played.get(name), ours.played.get(name)];
      if (!a || !b) continue;
      // At rest is what has stayed as it was for a turn of the others.
      const isCalm = !went.delete(name) && !isOther;
      if ([await a.goOn(seen.apps.real), await b.goOn(seen.apps.ours)].includes(true)) went.add(name);
      const act = isCalm && !went.has(name) ? acts.get(name)?.shift() : undefined;
      if (act) {
        went.add(name);
        const line = [`- ${JSON.stringify(act)}`];
        trace.ours.push(line);
        trace.real.push(line);
        await a.act(act, seen.apps.real);
        await b.act(act, seen.apps.ours);
      }
      if (!isCalm || went.has(name)) isOver = false;
    }
    if (isOver) break;
  }
  for (const [name, trace] of told) traces.set(name, trace);
});
after(() => opened.disposeAsync());

interface Told {
  readonly ours: (readonly string[])[];
  readonly real: (readonly string[])[];
}

/** What is as before is not told again. Gives whether it is another. */
function keep(trace: (readonly string[])[], seen: readonly string[]): boolean {
  const isOther = !equalJson(trace.at(-1) ?? null, seen);
  if (isOther) trace.push(seen);
  return isOther;
}

async function seeBoth({ real, ours }: { real: Side; ours: Side }) {
  for (let look = 0; ; look += 1) {
    const [theirs, own] = await Promise.all(
      [real, ours].map(async ({ kube, played }) => {
        const found = await untilQuiet(kube, [...played.values()], look === 0 ? briefly : {});
        const views = new Map([...played].map(([name, one]) => [name, one.view(found.apps, found.sets)]));
        return { apps: found.apps, views };
      }),
    );
    assert.ok(theirs && own);
    const other = [...theirs.views].filter(([name, view]) => !equalJson(view, own.views.get(name) ?? []));
    const isSame = other.every(([name]) => parted.has(name));
    if (look >= patience) for (const [name] of other) parted.add(name);
    if (isSame || look >= patience)
      return { real: theirs.views, ours: own.views, apps: { real: theirs.apps, ours: own.apps } };
  }
}

const sideOf = (kube: KubeClient): Side => ({
  kube,
  played: new Map(
    Object.entries(rollingCases).map(([name, one]) => [name, new PlayedRollout(kube, name, one)]),
  ),
});

/** Where there, depending on what is looked at first, the status keeps a former revision of what waits. */
const oldRevisions = new Set(["stuck-degraded"]);

/** Without the revisions, where these may be former ones. */
function compared(name: string, trace: readonly (readonly string[])[]): readonly (readonly string[])[] {
  if (!oldRevisions.has(name)) return trace;
  const kept: (readonly string[])[] = [];
  for (const seen of trace) {
    keep(
      kept,
      seen.filter((line) => !line.startsWith("revisions: ")),
    );
  }
  return kept;
}

for (const name of Object.keys(rollingCases))
  test(`${name}: ${differences[name] ?? "as the real one"}`, { skip }, () => {
    const trace = traces.get(name);
    assert.ok(trace && trace.real.length > 0);
    if (name in differences) assert.notDeepEqual(trace.ours, trace.real);
    else assert.deepEqual(compared(name, trace.ours), compared(name, trace.real));
  });
