import assert from "node:assert/strict";
import { test } from "node:test";
import type { AppProject, SyncWindow } from "@capstan/model";
import { canSync, isWindowActive, matchingWindows } from "./sync-windows.ts";

const subject = { name: "shop", clusters: ["https://k", "prod"], namespace: "shop" };
const noon = Date.UTC(2026, 5, 1, 12, 0);
const hour = 3_600_000;

const open: SyncWindow = { kind: "allow", schedule: "0 11 * * *", duration: "2h", applications: ["*"] };
const closed: SyncWindow = { ...open, schedule: "0 20 * * *" };
const deny: SyncWindow = { ...open, kind: "deny" };

const project = (...syncWindows: SyncWindow[]): AppProject => ({
  apiVersion: "argoproj.io/v1alpha1",
  kind: "AppProject",
  metadata: { name: "team" },
  spec: { syncWindows },
});

const activity: [string, Partial<SyncWindow>, number, boolean][] = [
  ["within its duration", {}, noon, true],
  ["before it begins", {}, noon - 2 * hour, false],
  ["after it ends", {}, noon + 2 * hour, false],
  ["in its own zone", { timeZone: "America/New_York", schedule: "0 7 * * *" }, noon, true],
];
for (const [fact, change, atMs, expected] of activity) {
  test(`a window is active: ${fact}`, () =>
    assert.equal(isWindowActive({ ...open, ...change }, atMs), expected));
}

const matching: [string, Partial<SyncWindow>, boolean][] = [
  ["by application", { applications: ["sh*"] }, true],
  ["by namespace", { applications: [], namespaces: ["shop"] }, true],
  ["by cluster name", { applications: [], clusters: ["prod"] }, true],
  ["one hit is enough", { applications: ["x"], namespaces: ["shop"] }, true],
  ["with and, every list must hit", { andOperator: true, applications: ["x"], namespaces: ["shop"] }, false],
  ["with and, empty lists are left out", { andOperator: true, applications: ["shop"], namespaces: [] }, true],
  ["no list hits nothing", { applications: [] }, false],
];
for (const [fact, change, expected] of matching) {
  test(`a window matches: ${fact}`, () =>
    assert.equal(matchingWindows(project({ ...open, ...change }), subject).length > 0, expected));
}

type Situation = { manual?: boolean; startedAtMs?: number };
const verdicts: [string, SyncWindow[], Situation, boolean][] = [
  ["no windows", [], {}, true],
  ["an open allow", [open], {}, true],
  ["only closed allows", [closed], {}, false],
  ["only inactive denies", [{ ...deny, schedule: "0 20 * * *" }], {}, true],
  ["an active deny", [deny], {}, false],
  ["a deny wins over an allow", [open, deny], {}, false],
  ["a deny that permits manual syncs, by hand", [{ ...deny, manualSync: true }], { manual: true }, true],
  ["a deny that permits manual syncs, by itself", [{ ...deny, manualSync: true }], {}, false],
  [
    "two denies, of which one permits manual syncs",
    [deny, { ...deny, manualSync: true }],
    { manual: true },
    false,
  ],
  ["closed allows that permit manual syncs", [{ ...closed, manualSync: true }], { manual: true }, true],
  [
    "begun before the deny, which lets it finish",
    [{ ...deny, syncOverrun: true }],
    { startedAtMs: noon - 2 * hour },
    true,
  ],
  ["begun before the deny, which does not", [deny], { startedAtMs: noon - 2 * hour }, false],
  ["begun within the deny", [{ ...deny, syncOverrun: true }], { startedAtMs: noon - hour / 2 }, false],
  [
    "begun while an allow was open that has closed",
    [{ ...open, schedule: "0 9 * * *", syncOverrun: true }],
    { startedAtMs: noon - 2 * hour },
    true,
  ],
  ["a schedule that cannot be read blocks", [{ ...open, schedule: "whenever" }], {}, false],
  ["a duration that cannot be read blocks", [{ ...open, duration: "long" }], {}, false],
];
for (const [fact, windows, situation, expected] of verdicts) {
  test(`sync windows: ${fact}`, () => {
    const verdict = canSync({
      project: project(...windows),
      subject,
      nowMs: noon,
      manual: false,
      ...situation,
    });
    assert.equal(verdict.canSync, expected);
    assert.equal(verdict.reason === "", expected);
  });
}
