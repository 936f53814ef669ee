import assert from "node:assert/strict";
import { test } from "node:test";
import { createGitRepository, isSettled, sketchApplication, untilApplication } from "@capstan/testkit";
import { openSmallWorld, readObject, untilObject } from "@capstan/testkit/worlds";

const timeLimit = () => AbortSignal.timeout(100_000);

test("what holds a lease is rendered and applied anew at its end, long before the next look at git", async () => {
  let made = 0;
  const leasing = {
    name: "leasing",
    sensitive: true,
    async generate(_context: unknown, { clock }: { clock: { now(): number } }) {
      made += 1;
      const data = { n: `${made}` };
      const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, data };
      // The shortest time that a render is kept counts then.
      return { manifests: [{ manifest }], commands: [], until: clock.now() };
    },
  };
  await using git = await createGitRepository({ "app/any.txt": "" });
  await using world = await openSmallWorld({ repoServer: { plugins: [leasing] } });
  const source = { plugin: { name: "leasing" } };
  const app = sketchApplication({ name: "web", repoURL: git.url, path: "app", source });
  await world.kube.create(app, { signal: timeLimit() });
  await untilApplication(world.kube, "web", isSettled);
  const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "web", name: "web" };
  assert.equal(Object((await readObject(world, ref))?.data).n, "1");
  await untilObject(world, ref, (object) => Object(object?.data).n === "2");
});
