import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultDiffRules } from "@capstan/engine";
import type { ApplyMode, Manifest } from "@capstan/model";
import { stoppedClock } from "@capstan/testkit";
import { openSmallWorld, unboundedClient } from "@capstan/testkit/worlds";
import { DryRuns, type Urgency } from "./dry-runs.ts";

const { signal } = new AbortController();
const server = "https://kubernetes.default.svc";
const mode: ApplyMode = { method: "server-side", force: false, validate: true, migrateFrom: undefined };

const settings = (data: Record<string, string>): Manifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "default" },
  data,
  immutable: true,
});

test("what a server refuses is asked again later and later, sooner by who asks for a look, at once where all is looked at anew", async () => {
  await using world = await openSmallWorld();
  await world.stopController();
  const live = await world.kube.create(settings({ a: "1" }), { signal });
  const clock = stoppedClock();
  const needs = {
    cluster: { client: unboundedClient(world.kube), server, actsAs: { kind: "capstan" } as const },
    clock,
    jq: {
      settled: async <Made>(
        use: { rules: typeof defaultDiffRules },
        make: (rules: typeof defaultDiffRules) => Made | Promise<Made>,
      ) => make(use.rules),
    },
  };
  const dryRuns = new DryRuns();
  const ruleUse = { asker: "app", own: 0, rules: defaultDiffRules };
  let told = 0;
  /** How many requests an answer takes. */
  const asked = async (urgency: Urgency): Promise<number> => {
    const question = { target: settings({ a: "2" }), live, mode, ruleUse, withWebhooks: false, urgency };
    const answer = await dryRuns.ask(needs, question, signal);
    assert.equal(answer.verdict, "refused");
    const writes = world.requests.filter(({ method, url }) => method === "PATCH" && url.includes("dryRun"));
    const made = writes.length - told;
    told = writes.length;
    return made;
  };

  assert.deepEqual([await asked("usual"), await asked("usual"), await asked("asked")], [1, 0, 0]);
  await clock.advance(9_999);
  assert.deepEqual([await asked("usual"), await asked("asked")], [0, 0]);
  await clock.advance(1);
  assert.deepEqual([await asked("usual"), await asked("usual")], [1, 0]);
  // Refused twice: the pause is 20 s, but not for who asks.
  await clock.advance(10_000);
  assert.deepEqual([await asked("usual"), await asked("asked"), await asked("asked")], [0, 1, 0]);
  await clock.advance(39_999);
  assert.equal(await asked("usual"), 0);
  await clock.advance(1);
  assert.equal(await asked("usual"), 1);
  assert.deepEqual([await asked("anew"), await asked("anew")], [1, 1]);
  // Looked at anew, it counts from the first refusal again.
  await clock.advance(10_000);
  assert.equal(await asked("usual"), 1);
  // Never longer than five minutes.
  for (let round = 0; round < 8; round += 1) {
    await clock.advance(300_000);
    assert.equal(await asked("usual"), 1);
  }
});
