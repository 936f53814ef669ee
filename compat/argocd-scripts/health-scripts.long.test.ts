/** Argo CD's own health scripts, run by our Lua, give what its own cases say. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import { LuaThread } from "@capstan/lua";
import { groupOf } from "@capstan/model";
import { readHealthCases, scriptsFolder } from "./cases.ts";

const folder = scriptsFolder();
const skip =
  folder === undefined &&
  "Argo CD's scripts are not here: npm run testenv argocd, or name a resource_customizations in ARGOCD_CUSTOMIZATIONS";
const clock: Clock = { now: () => Date.now(), sleep: (ms, signal) => wait(ms, undefined, { signal }) };
const { signal } = new AbortController();
/** Fewer are none of Argo CD's trees. */
const least = 900;

test("every health script gives what its cases say", { skip }, async () => {
  await using lua = new LuaThread({ clock, timeMs: 30_000 });
  const scripts = folder ?? "";
  const scriptOf = (kind: string) => join(scripts, kind, "health.lua");
  // Some cases of 3.2 stand in a folder without a script, where Argo CD's own test does not look.
  const cases = readHealthCases(scripts).filter(({ kind }) => existsSync(scriptOf(kind)));
  const wrong: string[] = [];
  for (const { kind, name, live, status, message } of cases) {
    // The script of the very kind goes before one of a pattern, beside which its cases stand.
    const own = scriptOf(join(groupOf(live.apiVersion), live.kind));
    const script = readFileSync(existsSync(own) ? own : scriptOf(kind), "utf8");
    const given = await lua.run({ script, openLibs: true, object: live, asker: name }, signal);
    const health = isRecord(given) ? given : {};
    if (health.status !== status || (health.message ?? "") !== message)
      wrong.push(`${name}: ${String(health.status)} (${String(health.message)}), not ${status} (${message})`);
  }
  assert.deepEqual(wrong, []);
  assert.ok(cases.length >= least, `only ${cases.length} cases`);
  console.log(`health scripts: ${cases.length} cases of ${scripts}`);
});
