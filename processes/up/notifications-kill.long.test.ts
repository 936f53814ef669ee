import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { eventually, sketchApplication, startCapstan, startLoopbackServer } from "@capstan/testkit";

const opened = new AsyncDisposableStack();
after(() => opened.disposeAsync());
const limit = () => AbortSignal.timeout(100_000);
const notified = "notified.notifications.argoproj.io";
const count = 30;
/** Messages that are under way at a time: of which nobody can know whether they were taken. */
const underWay = 4;

test("a process that is killed has told what is written, and repeats at most what was under way", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-notifications-"));
  opened.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const told: string[] = [];
  const half = Promise.withResolvers<void>();
  const receiver = opened.use(
    await startLoopbackServer((request, response) => {
      told.push(request.url ?? "");
      if (told.length === count / 2) half.resolve();
      setTimeout(() => response.end(), 20);
    }),
  );
  const first = await startCapstan({ dataDir, flags: ["--no-samples"] });
  const apply = (object: Parameters<typeof first.kube.apply>[0]) =>
    first.kube.apply(object, { fieldManager: "test", force: true, signal: limit() });
  for (const index of Array(count).keys()) {
    const object = sketchApplication({
      name: `told-${index}`,
      repoURL: "https://git.invalid/x",
      syncPolicy: {},
    });
    const annotations = { "notifications.argoproj.io/subscribe.told.hook": "" };
    await apply({ ...object, metadata: { ...object.metadata, annotations } });
  }
  const part = { hook: { method: "POST", path: "/{{.app.metadata.name}}" } };
  await apply({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "argocd-notifications-cm", namespace: "argocd" },
    data: {
      "service.webhook.hook": `url: ${receiver.url}\n`,
      "trigger.told": JSON.stringify([{ when: "true", oncePer: "app.metadata.name", send: ["told"] }]),
      "template.told": JSON.stringify({ webhook: part }),
    },
  });
  await half.promise;
  await first.kill("SIGKILL");
  const before = told.length;
  assert.ok(before < count, "it was killed too late");
  const second = opened.use(await startCapstan({ dataDir, flags: ["--no-samples"] }));
  await eventually(
    async () => {
      const query = { apiVersion: "argoproj.io/v1alpha1", kind: "Application", namespace: "argocd" };
      const { items } = await second.kube.list(query, limit());
      return items.every(({ metadata }) => metadata.annotations?.[notified] !== undefined) || undefined;
    },
    { signal: limit(), describe: () => `told ${told.length}: ${second.output().slice(-1_000)}` },
  );
  assert.equal(new Set(told).size, count);
  assert.ok(told.length <= count + underWay, `${told.length - count} messages were repeated`);
  await first[Symbol.asyncDispose]();
});
