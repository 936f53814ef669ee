import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  createGitRepository,
  isSettled,
  readApplications,
  sketchApplication,
  startCapstan,
  untilApplication,
} from "@capstan/testkit";

const count = 20;
const names = Array.from({ length: count }, (_, index) => `app-${index}`);

const manifests = (name: string, value: string): string =>
  [
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  value: "${value}"\n`,
    `apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: ${name}-hook\n  annotations:\n    argocd.argoproj.io/hook: PreSync\nspec:\n  template:\n    spec:\n      restartPolicy: Never\n      containers:\n        - name: main\n          image: example/job:1\n          command: [sleep, "1"]\n`,
    `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: ${name}\n  annotations:\n    argocd.argoproj.io/sync-wave: "1"\nspec:\n  replicas: 1\n  selector:\n    matchLabels:\n      app: ${name}\n  template:\n    metadata:\n      labels:\n        app: ${name}\n    spec:\n      containers:\n        - name: main\n          image: example/main:1\n`,
  ].join("---\n");

const limitMs = 300_000;

test("kill -9 during a sync of 20 applications: all converge after a start, nothing pruned, nothing lost", {
  timeout: limitMs,
}, async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-kill-"));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const files = (value: string) =>
    Object.fromEntries(names.map((name) => [`${name}/all.yaml`, manifests(name, value)]));
  await using repository = await createGitRepository(files("first"));
  const signal = AbortSignal.timeout(limitMs);

  // Killed three times while they sync: before, in the middle of hooks and waves.
  for (const round of [0, 1, 2]) {
    await using capstan = await startCapstan({ dataDir, flags: ["--no-samples"] });
    if (round === 0)
      for (const name of names)
        await capstan.kube.create(sketchApplication({ name, repoURL: repository.url, path: name }), {
          fieldManager: "test",
          signal,
        });
    for (;;) {
      const views = await readApplications(capstan.kube, signal);
      assert.equal(views.length, count);
      const begun = views.filter(({ phase }) => phase !== "").length;
      const ended = views.filter(isSettled).length;
      if (begun > round * 4 && (ended >= round || ended === count)) break;
      await sleep(20, undefined, { signal });
    }
    await capstan.kill("SIGKILL");
  }

  await using capstan = await startCapstan({ dataDir, flags: ["--no-samples"] });
  for (const name of names) {
    const view = await untilApplication(capstan.kube, name, isSettled);
    // The hook's Job is listed too, as one without a sync status.
    assert.deepEqual(
      view.resources
        .filter(({ status }) => status !== "")
        .map(({ kind, status }) => `${kind} ${status}`)
        .toSorted(),
      ["ConfigMap Synced", "Deployment Synced"],
    );
  }
  const { items } = await capstan.kube.list({ apiVersion: "v1", kind: "Event" }, signal);
  const deletions = items.filter((event) => /pruned|ResourceDeleted/i.test(JSON.stringify(event)));
  assert.deepEqual(deletions, []);
});
