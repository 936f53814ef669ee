import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type CapstanProcess, eventually, startCapstan } from "@capstan/testkit";
import { listOf, listSet } from "@capstan/testkit/worlds";

const opened = new AsyncDisposableStack();
after(() => opened.disposeAsync());
const limit = () => AbortSignal.timeout(100_000);
const apiVersion = "argoproj.io/v1alpha1";
const count = 40;
const namesFrom = (first: number) => Array.from({ length: count }, (_, at) => `made-${first + at}`);

async function applications({ kube }: CapstanProcess): Promise<Map<string, string>> {
  const { items } = await kube.list({ apiVersion, kind: "Application", namespace: "argocd" }, limit());
  const there = items.filter(({ metadata }) => !metadata.deletionTimestamp);
  return new Map(there.map(({ metadata: { name = "", uid = "" } }) => [name, uid]));
}

function until(capstan: CapstanProcess, isTrue: (names: readonly string[]) => boolean) {
  let names: string[] = [];
  return eventually(
    async () => {
      names = [...(await applications(capstan)).keys()].sort();
      return isTrue(names) || undefined;
    },
    { signal: limit(), describe: () => `${names.length} are there: ${capstan.output().slice(-1_000)}` },
  );
}

const are = (wanted: readonly string[]) => (names: readonly string[]) =>
  names.join() === [...wanted].sort().join();

test("a process that is killed while a set makes and deletes goes on: each Application is made once, and no other is deleted", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-sets-"));
  opened.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const start = () => startCapstan({ dataDir, flags: ["--no-samples"] });
  let capstan = await start();
  const kill = async () => {
    await capstan.kill("SIGKILL");
    await capstan[Symbol.asyncDispose]();
    capstan = await start();
  };
  await capstan.kube.create(listSet("made", namesFrom(0)), { signal: limit() });
  await until(capstan, (names) => names.length > 0);
  const before = await applications(capstan);
  await kill();
  await until(capstan, are(namesFrom(0)));
  const made = await applications(capstan);
  for (const [name, uid] of before) assert.equal(made.get(name), uid, `${name} was made twice`);
  // Ten go, ten come, and thirty stay.
  const spec = { generators: listOf(namesFrom(10)) };
  const ref = { apiVersion, kind: "ApplicationSet", namespace: "argocd", name: "made" };
  await capstan.kube.patch(ref, { type: "merge", body: { spec } }, { signal: limit() });
  await until(capstan, (names) => !are(namesFrom(0))(names));
  await kill();
  await until(capstan, are(namesFrom(10)));
  const left = await applications(capstan);
  for (const name of namesFrom(10).filter((one) => made.has(one)))
    assert.equal(left.get(name), made.get(name), `${name} was made anew`);
  await capstan[Symbol.asyncDispose]();
});
