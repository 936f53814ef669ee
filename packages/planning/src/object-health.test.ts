import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "@capstan/kube";
import type { LuaRequest } from "@capstan/lua";
import type { Manifest } from "@capstan/model";
import { ScriptError } from "@capstan/script-thread";
import { ObjectHealth } from "./object-health.ts";

const { signal } = new AbortController();

function settingsOf(data: Record<string, string>) {
  const metadata = { name: "argocd-cm", namespace: "argocd" };
  return { current: readSettings([{ apiVersion: "v1", kind: "ConfigMap", metadata, data }], []) };
}

function world(data: Record<string, string>, answer: (request: LuaRequest) => unknown) {
  const ran: LuaRequest[] = [];
  const warned: string[] = [];
  const time = { nowMs: 0 };
  const health = new ObjectHealth({
    settings: settingsOf(data),
    lua: {
      run: async (request) => {
        ran.push(request);
        return answer(request);
      },
    },
    clock: { now: () => time.nowMs, sleep: () => Promise.resolve() },
    log: { info: () => undefined, warn: (_, message) => void warned.push(message) },
  });
  return {
    health,
    ran,
    warned,
    time,
    of: (live: Manifest) => health.judged("app", (healthOf) => healthOf(live), signal),
  };
}

const object = (resourceVersion: string, uid = "u1"): Manifest => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "one", namespace: "team", uid, resourceVersion },
});

const key = "resource.customizations.health.example.com_Thing";

test("a script is asked once for each object and version, before the built-in rules", async () => {
  const { ran, of } = world({ [key]: "return x" }, () => ({ status: "Suspended", message: "so it is" }));
  for (const live of [object("1"), object("1"), object("2"), object("1", "u2")])
    assert.deepEqual(await of(live), { status: "Suspended", message: "so it is" });
  assert.equal(ran.length, 3);
  assert.deepEqual(ran[0], { script: "return x", openLibs: false, object: object("1"), asker: "app" });
  const leaving = {
    ...object("9"),
    metadata: { ...object("9").metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
  };
  assert.equal((await of(leaving))?.status, "Progressing");
  assert.equal(ran.length, 3);
});

test("a kind's own script goes before patterns, these in their order, and no pattern is everything", async () => {
  const data = {
    "resource.customizations": [
      '"*.example.com/*": { health.lua: pattern }',
      '"*/Thing": { health.lua: kinds, health.lua.useOpenLibs: true }',
      "other.example.com/Thing: { health.lua: own }",
    ].join("\n"),
  };
  const { ran, of } = world(data, () => ({ status: "Healthy" }));
  for (const group of ["other.example.com", "third.example.com", "elsewhere.org"])
    await of({ ...object("1", group), apiVersion: `${group}/v1` });
  assert.deepEqual(
    ran.map(({ script, openLibs }) => [script, openLibs]),
    [
      ["own", false],
      ["pattern", false],
      ["kinds", true],
    ],
  );
  assert.equal((await of({ ...object("1"), apiVersion: "v1", kind: "ConfigMap" })) ?? "none", "none");
  assert.equal(ran.length, 3);
});

test("what a script gives is read as Argo CD reads it", async () => {
  const cases: [unknown, unknown][] = [
    [undefined, undefined],
    [[], undefined],
    [{ status: "Great" }, { status: "Unknown", message: "Lua returned an invalid health status" }],
    [{ message: "x" }, { status: "Unknown", message: "Lua returned an invalid health status" }],
    [{ status: "Healthy", message: "" }, { status: "Healthy" }],
    ["Healthy", { status: "Unknown", message: "expect table output from Lua script, not string" }],
  ];
  for (const [given, expected] of cases) {
    const { of } = world({ "resource.customizations.health.Pod": "x" }, () => given);
    assert.deepEqual(
      await of({ ...object("1"), apiVersion: "v1", kind: "Pod" }),
      expected,
      JSON.stringify(given),
    );
  }
});

test("a script that fails makes the object Unknown, and is said with its key and the object's name", async () => {
  const { health, of, warned, ran } = world({ [key]: "x" }, () => {
    throw new ScriptError("failed", "<string>:1: attempt to index a nil value");
  });
  for (const version of ["1", "1", "2"])
    assert.deepEqual(await of(object(version)), {
      status: "Unknown",
      message: "<string>:1: attempt to index a nil value",
    });
  assert.equal(ran.length, 2);
  assert.equal(warned.length, 1);
  assert.match(warned[0] ?? "", /example\.com_Thing.*team\/one|team\/one.*example\.com_Thing/);
  assert.match(
    health.problemOf(object("2")) ?? "",
    /nil value \(resource\.customizations\.health\.example\.com_Thing, for /,
  );
});

test("an object on which a script was ended is left alone for a while, the longer the more often", async () => {
  const { of, ran, time } = world({ [key]: "x" }, () => {
    throw new ScriptError("time", "the script took more than 1 s and was ended");
  });
  let version = 0;
  const asked = async (atMs: number): Promise<number> => {
    time.nowMs = atMs;
    version += 1;
    assert.equal((await of(object(String(version))))?.status, "Unknown");
    return ran.length;
  };
  assert.deepEqual(
    [await asked(0), await asked(9_999), await asked(10_000), await asked(29_999), await asked(30_000)],
    [1, 1, 2, 2, 3],
  );
});

test("what kept a script from running is no word about the object, which is asked for again", async () => {
  const answers = [new Error("no thread"), { status: "Healthy" }];
  const { of, ran, time } = world({ [key]: "x" }, () => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  });
  assert.deepEqual(await of(object("1")), { status: "Unknown", message: "no thread" });
  time.nowMs = 9_999;
  await of(object("1"));
  assert.equal(ran.length, 1);
  time.nowMs = 10_000;
  assert.deepEqual(await of(object("1")), { status: "Healthy" });
});

test("of however many objects, few wait for the thread at a time", async () => {
  let most = 0;
  let running = 0;
  const { health } = world({ [key]: "x" }, async () => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
    return { status: "Healthy" };
  });
  const objects = Array.from({ length: 500 }, (_, at) => object("1", `u${at}`));
  const found = await health.judged(
    "app",
    (healthOf) => objects.map((live) => healthOf(live)?.status),
    signal,
  );
  assert.deepEqual([new Set(found).size, found.length, most <= 100], [1, 500, true]);
});

test("what a script says that looks at the time is asked for again", async () => {
  const { of, ran, time } = world({ [key]: "local os = require('os')" }, () => ({ status: "Healthy" }));
  await of(object("1"));
  time.nowMs = 9_999;
  await of(object("1"));
  assert.equal(ran.length, 1);
  time.nowMs = 10_000;
  await of(object("1"));
  assert.equal(ran.length, 2);
});

test("what is not known yet is told when it is", async () => {
  const { health } = world({ [key]: "x" }, () => ({ status: "Degraded" }));
  const known = Promise.withResolvers<void>();
  assert.equal(health.now("app", object("1"), known.resolve), undefined);
  await known.promise;
  assert.deepEqual(health.now("app", object("1")), { status: "Degraded" });
});
