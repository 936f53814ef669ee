import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewRecord, RecordedApp } from "@capstan/planning";
import { configMapText, createGitRepository, sketchApplication, untilApplication } from "@capstan/testkit";
import { openSmallWorld, requestSync, untilOperation } from "@capstan/testkit/worlds";

class Kept {
  readonly records: NewRecord[] = [];
  sensitive: boolean | undefined;
  add(_app: RecordedApp, record: NewRecord): void {
    this.records.push(record);
  }
  lastWasSensitive(): boolean | undefined {
    return this.sensitive ?? this.records.at(-1)?.sensitive;
  }
}

const secretText = (value: string) =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: key}\nstringData: {password: ${value}}\n`;

const acts = ({ changes }: NewRecord) =>
  changes.map(({ act, kind, name }) => `${act} ${kind} ${name}`).sort();

async function place(files: Record<string, string>, kept: Kept) {
  const git = await createGitRepository(files);
  const world = await openSmallWorld({ records: kept });
  const syncPolicy = { syncOptions: ["CreateNamespace=true"] };
  const signal = AbortSignal.timeout(100_000);
  await world.kube.create(sketchApplication({ name: "web", repoURL: git.url, path: "app", syncPolicy }), {
    signal,
  });
  await untilApplication(world.kube, "web", ({ sync }) => sync !== "");
  const sync = async (more: object = {}) => {
    const before = kept.records.length;
    await requestSync(world, "web", { syncOptions: ["CreateNamespace=true"], ...more });
    const view = await untilOperation(world, "web");
    await world.controller.idle();
    assert.equal(kept.records.length, before + 1);
    return { view, record: kept.records.at(-1) as NewRecord };
  };
  return {
    git,
    sync,
    forget: () => world.repo.forgetRevisions(git.url),
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await git[Symbol.asyncDispose]();
    },
  };
}

test("what a sync made, changed and deleted is kept as it was and became, Secrets masked", async () => {
  const kept = new Kept();
  await using there = await place(
    { "app/one.yaml": configMapText("one"), "app/key.yaml": secretText("first") },
    kept,
  );
  const { record: first } = await there.sync();
  assert.equal(first.phase, "Succeeded");
  assert.deepEqual(acts(first), ["create ConfigMap one", "create Namespace web", "create Secret key"]);
  await there.git.commit({
    "app/one.yaml": undefined,
    "app/two.yaml": configMapText("two"),
    "app/key.yaml": secretText("second"),
  });
  there.forget();
  const { record } = await there.sync({ prune: true });
  assert.deepEqual(acts(record), ["change Secret key", "create ConfigMap two", "delete ConfigMap one"]);
  assert.equal(record.textsHidden, false);
  const secret = record.changes.find(({ kind }) => kind === "Secret");
  assert.notDeepEqual(secret?.before, secret?.after);
  const text = JSON.stringify(kept.records);
  for (const value of ["first", "second"])
    for (const form of [value, Buffer.from(value).toString("base64")])
      assert.equal(text.includes(form), false, form);
  const gone = record.changes.find(({ act }) => act === "delete");
  assert.equal(gone?.before?.metadata.name, "one");
  assert.equal(gone?.after, undefined);
  assert.equal(gone?.before?.metadata.resourceVersion, undefined);
});

test("a failed sync is kept with what it failed at, a dry run changes nothing", async () => {
  const kept = new Kept();
  const bad = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bad}\ndata: [1]\n";
  await using there = await place({ "app/one.yaml": configMapText("one"), "app/bad.yaml": bad }, kept);
  const { record } = await there.sync();
  assert.equal(record.phase, "Failed");
  assert.ok(acts(record).includes("failed ConfigMap bad"), acts(record).join());
  const { record: dry } = await there.sync({ dryRun: true });
  assert.deepEqual([dry.dryRun, dry.changes], [true, []]);
});

test("where the operation before may have brought secrets into any object, no text is kept", async () => {
  const kept = new Kept();
  kept.sensitive = true;
  await using there = await place({ "app/one.yaml": configMapText("one") }, kept);
  const { record } = await there.sync();
  assert.equal(record.textsHidden, true);
  const map = record.changes.find(({ kind }) => kind === "ConfigMap")?.after;
  assert.match(JSON.stringify(map?.data), /\+\+\+\+/);
});
