import assert from "node:assert/strict";
import { test } from "node:test";
import {
  configMapText,
  createGitRepository,
  isSettled,
  readApplications,
  sketchApplication,
  untilApplication,
} from "@capstan/testkit";
import { openSmallWorld, refresh } from "@capstan/testkit/worlds";

/** Of which at most twenty are looked at at once. */
const count = 100;
/** So many of those keep a worker until the changed one is done; two go on with the others. */
const mostHeld = 18;
const nameOf = (at: number): string => `app-${String(at).padStart(3, "0")}`;
const changed = nameOf(0);
const fileOf = (name: string): string => `${name}/map.yaml`;

test("an application whose sync has ended is compared before those that only have a newer commit to look at", async () => {
  const names = Array.from({ length: count }, (_, at) => nameOf(at));
  const files = names.map((name) => [fileOf(name), configMapText(name)]);
  await using git = await createGitRepository(Object.fromEntries(files));
  const isDone = Promise.withResolvers<void>();
  let revision = "";
  let held = 0;
  let passed = 0;
  await using world = await openSmallWorld({
    async intercept({ method, url, body }) {
      if (method !== "PATCH" || !revision || !url.includes("/applications/")) return undefined;
      const isChanged = url.includes(`/applications/${changed}`);
      if (!body?.includes(revision) || isChanged) return undefined;
      passed += 1;
      if (held >= mostHeld) return undefined;
      held += 1;
      passed -= 1;
      await isDone.promise;
      return undefined;
    },
  });
  const signal = AbortSignal.timeout(100_000);
  for (const name of names)
    await world.kube.create(sketchApplication({ name, repoURL: git.url, path: name }), { signal });
  for (const name of names) await untilApplication(world.kube, name, isSettled);
  revision = await git.commit({ [fileOf(changed)]: configMapText(changed, "another") });
  for (const name of names) await refresh(world, name);
  await untilApplication(world.kube, changed, (app) => isSettled(app) && app.revision === revision);
  const before = passed;
  isDone.resolve();
  for (const name of names)
    await untilApplication(world.kube, name, (app) => isSettled(app) && app.revision === revision);
  assert.equal((await readApplications(world.kube, signal)).length, count);
  assert.ok(before < count / 2, `${before} others were looked at before it`);
});
