/** A progressive sync with the controller of Applications beside it: from git to the cluster, a step after the other. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isRecord } from "@capstan/formats";
import { HostCalls } from "@capstan/git-hosts";
import { createControlState } from "@capstan/kube";
import { configMapText, createGitRepository, eventually, realClock } from "@capstan/testkit";
import { openSmallWorld } from "@capstan/testkit/worlds";
import { Registry } from "prom-client";
import { startApplicationSetController } from "./application-set-controller.ts";

const apiVersion = "argoproj.io/v1alpha1";
const namespace = "argocd";
const limit = () => AbortSignal.timeout(60_000);

test("what is pushed reaches the second step when the first is synced and healthy", async () => {
  await using world = await openSmallWorld();
  await using git = await createGitRepository({
    "whole-a/map.yaml": configMapText("whole-a"),
    "whole-b/map.yaml": configMapText("whole-b"),
  });
  const { kube, repo, scripts, settings } = world;
  const labels = { "app.kubernetes.io/part-of": "argocd" };
  const data = { "applicationsetcontroller.enable.progressive.syncs": "true" };
  const metadata = { name: "argocd-cmd-params-cm", namespace, labels };
  await kube.create({ apiVersion: "v1", kind: "ConfigMap", metadata, data }, { signal: limit() });
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  await using live = createControlState({ client: kube, clock: realClock, log });
  await live.ready(limit());
  const shared = { kube, repo, scripts, settings, live, clock: realClock, log, namespace };
  const hosts = new HostCalls(realClock);
  await using _controller = startApplicationSetController({ ...shared, hosts, metrics: new Registry() });
  const step = (name: string) => ({ matchExpressions: [{ key: "app", operator: "In", values: [name] }] });
  const names = ["whole-a", "whole-b"];
  const spec = {
    strategy: { type: "RollingSync", rollingSync: { steps: names.map(step) } },
    generators: [{ list: { elements: names.map((name) => ({ name })) } }],
    template: {
      metadata: { name: "{{name}}", labels: { app: "{{name}}" } },
      spec: {
        project: "default",
        source: { repoURL: git.url, path: "{{name}}", targetRevision: "main" },
        destination: { name: "in-cluster", namespace: "default" },
        syncPolicy: { automated: {} },
      },
    },
  };
  await kube.create(
    { apiVersion, kind: "ApplicationSet", metadata: { name: "whole", namespace }, spec },
    { signal: limit() },
  );
  const states = async () => {
    const set = await kube.get({ apiVersion, kind: "ApplicationSet", namespace, name: "whole" }, limit());
    const rows: unknown = isRecord(set?.status) ? set.status.applicationStatus : undefined;
    return (Array.isArray(rows) ? rows : []).filter(isRecord).map(({ status }) => status);
  };
  let last: unknown;
  await eventually(
    async () => {
      last = await states();
      return JSON.stringify(last) === '["Healthy","Healthy"]' ? true : undefined;
    },
    { signal: limit(), describe: () => `they are ${JSON.stringify(last)}` },
  );
  const ends: string[] = [];
  for (const name of names) {
    const app = await kube.get({ apiVersion, kind: "Application", namespace, name }, limit());
    const state =
      isRecord(app?.status) && isRecord(app.status.operationState) ? app.status.operationState : {};
    assert.equal(state.phase, "Succeeded");
    ends.push(String(state.startedAt), String(state.finishedAt));
    const history = isRecord(app?.status) && Array.isArray(app.status.history) ? app.status.history : [];
    assert.equal(history.length, 1);
    assert.ok(await kube.get({ apiVersion: "v1", kind: "ConfigMap", namespace: "default", name }, limit()));
  }
  assert.deepEqual([...ends].sort(), ends);
});
