import assert from "node:assert/strict";
import { test } from "node:test";
import { argoApiVersion, type SyncWindow } from "@capstan/model";
import { type ApplicationView, configMapText, untilApplication } from "@capstan/testkit";
import { untilOperation } from "@capstan/testkit/worlds";
import {
  begin,
  judge,
  judgedText,
  limit,
  marks,
  placeWithWindows,
  shareWorld,
  sync,
  terminate,
  untilBlocked,
} from "./place.ts";

const world = shareWorld();
const one = { "app/one.yaml": configMapText("one") };
const open: SyncWindow = { kind: "allow", schedule: "* * * * *", duration: "1h", applications: ["*"] };
/** A minute in four years. */
const closed: SyncWindow = { ...open, schedule: "0 0 29 2 *", duration: "1m" };
const deny: SyncWindow = { ...open, kind: "deny" };
const until = (name: string, isSo: (view: ApplicationView) => boolean) =>
  untilApplication(world().kube, name, isSo);

const placed = (name: string, windows: readonly SyncWindow[], spec: object = {}) =>
  placeWithWindows(world(), name, { files: one, windows, spec });

type Case = [fact: string, windows: SyncWindow[], byItself: boolean, byHand: boolean];
const cases: Case[] = [
  ["no windows", [], true, true],
  ["an open allow", [open], true, true],
  ["closed allows", [closed], false, false],
  ["a closed allow that permits it by hand", [{ ...closed, manualSync: true }], false, true],
  ["a closed deny", [{ ...closed, kind: "deny" }], true, true],
  ["an open deny, beside an open allow", [deny, open], false, false],
  ["an open deny that permits it by hand", [{ ...deny, manualSync: true }], false, true],
  ["two denies, of which one permits it by hand", [deny, { ...deny, manualSync: true }], false, false],
  ["a deny of another application", [{ ...deny, applications: ["other-*"] }], true, true],
  ["a deny of its cluster", [{ ...deny, applications: [], clusters: ["https://kubernetes*"] }], false, false],
  ["a cluster's other name", [{ ...deny, applications: [], clusters: ["in-cluster"] }], true, true],
  ["a deny of its namespace", [{ ...deny, applications: [], namespaces: ["window-*"] }], false, false],
  [
    "one list of several hits",
    [{ ...deny, applications: ["other"], namespaces: ["window-*"] }],
    false,
    false,
  ],
  [
    "not all lists hit, as the window wants",
    [{ ...deny, andOperator: true, applications: ["other"], namespaces: ["window-*"] }],
    true,
    true,
  ],
  ["an empty list where all are to hit", [{ ...deny, andOperator: true, namespaces: [] }], false, false],
  ["no list", [{ ...deny, applications: [] }], true, true],
];
for (const [index, [fact, windows, byItself, byHand]] of cases.entries())
  test(`windows by themselves and by hand: ${fact}`, async () => {
    const name = `window-${index}`;
    await using there = await placed(name, windows);
    if (byItself) {
      await until(name, ({ phase }) => phase === "Succeeded");
      return;
    }
    await untilBlocked(there);
    assert.equal((await until(name, ({ sync: status }) => status === "OutOfSync")).phase, "");
    if (byHand) {
      assert.equal((await sync(there)).phase, "Succeeded");
      return;
    }
    await begin(there);
    await until(name, ({ message }) =>
      /^Sync operation (blocked by|outside of its) sync window/.test(message),
    );
    await terminate(there);
    assert.equal((await untilOperation(world(), name)).phase, "Failed");
  });

const unreadable: Record<string, SyncWindow> = {
  schedule: { ...open, schedule: "each day" },
  duration: { ...deny, schedule: "0 0 29 2 *", duration: "long" },
  "time zone": { ...open, timeZone: "Europe/Atlantis" },
};
test("a window that cannot be read counts as denying, and is told", async () => {
  for (const [index, [what, window]] of Object.entries(unreadable).entries()) {
    const name = `unreadable-${index}`;
    await using there = await placed(name, [window]);
    const isTold = ({ type, message }: { type: string; message: string }) =>
      type === "NotHonouredError" && message.includes(what);
    await until(name, ({ conditions }) => conditions.some(isTold));
    assert.equal((await sync(there)).phase, "Error");
  }
});

const later = configMapText("later", "1", marks({ "sync-wave": "1" }));
test("a sync that has begun waits in a deny that opens, and goes on after it", async () => {
  const name = "overtaken";
  const project = { apiVersion: argoApiVersion, kind: "AppProject", namespace: "argocd", name };
  const setWindows = (syncWindows: SyncWindow[]) =>
    world().kube.patch(project, { type: "merge", body: { spec: { syncWindows } } }, { signal: limit() });
  await using there = await placed(name, [], { syncPolicy: {} });
  await there.git.commit({ "app/one.yaml": judgedText("one", "Progressing"), "app/later.yaml": later });
  await begin(there);
  await until(name, ({ message }) => message.includes("healthy state of ConfigMap"));
  await setWindows([deny]);
  await until(name, ({ message }) => message.includes("blocked by sync window"));
  await judge(there, "one", "Healthy");
  await setWindows([]);
  assert.equal((await untilOperation(world(), name)).phase, "Succeeded");
});
