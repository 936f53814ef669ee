/** Metrics and Events beside the real application controller, after the same scenario. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeClient } from "@capstan/kube";
import {
  configMapText,
  createGitRepository,
  type GitRepository,
  isSettled,
  lackingArgoCD,
  sketchApplication,
  startArgoCD,
  startEmbeddedCluster,
  untilApplication,
} from "@capstan/testkit";
import { openSmallWorld } from "@capstan/testkit/worlds";

const limit = () => AbortSignal.timeout(100_000);

/** Metrics of the real controller that Capstan has not, and why. */
const notTold: Readonly<Record<string, string>> = {
  argocd_redis_request_total: "there is no redis",
  argocd_redis_request_duration: "there is no redis",
  argocd_kubectl_exec_total: "no kubectl is run",
  argocd_kubectl_exec_pending: "no kubectl is run",
  argocd_resource_events_processing: "events are not taken in batches",
  argocd_resource_events_processed_in_batch: "events are not taken in batches",
};
/** Of client-go itself. */
const ofClient = /^argocd_kubectl_/;

/** Names of labels by the name of a metric. */
function labelsIn(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [, name = "", labels = ""] = /^(argocd_[a-z0-9_]+)(?:\{(.*)\})? /.exec(line) ?? [];
    if (name === "") continue;
    const names = [...labels.matchAll(/(\w+)="/g)]
      .map(([, label = ""]) => label)
      .filter((one) => one !== "le");
    found.set(
      name.replace(/_(bucket|sum|count)$/, (end) =>
        end === "_count" && !text.includes(`${name.slice(0, -6)}_sum`) ? end : "",
      ),
      names.sort().join(),
    );
  }
  return found;
}

async function deploy(kube: KubeClient, git: GitRepository): Promise<void> {
  await kube.create(sketchApplication({ name: "web", repoURL: git.url, path: "app" }), { signal: limit() });
  await untilApplication(kube, "web", isSettled);
}

/** What Events of the application say, whatever the order. */
async function eventsOf(kube: KubeClient): Promise<string[]> {
  const { items } = await kube.list({ apiVersion: "v1", kind: "Event", namespace: "argocd" }, limit());
  const told = items
    .filter(({ involvedObject }) => JSON.stringify(involvedObject).includes('"Application"'))
    .map(({ type, reason, message, source, metadata, involvedObject }) =>
      JSON.stringify([
        ...[type, reason, message, source, Object.entries(metadata.annotations ?? {}).sort()],
        Object.keys(Object(involvedObject)).sort(),
      ]),
    );
  return [...new Set(told)].sort();
}

test("an automated deployment is told alike", { skip: lackingArgoCD() }, async () => {
  await using git = await createGitRepository({ "app/a.yaml": configMapText("a") });
  await using cluster = await startEmbeddedCluster();
  const only = ["redis-server", "argocd-repo-server", "argocd-application-controller"];
  await using argo = await startArgoCD(cluster, { only });
  await deploy(cluster.kube, git);
  const theirs = labelsIn(await (await fetch(argo.controllerMetrics)).text());
  await using world = await openSmallWorld();
  await deploy(world.kube, git);
  await world.controller.idle();
  const ours = labelsIn(await world.metrics.metrics());
  const lacking = [...theirs.keys()].filter((name) => !ours.has(name) && !ofClient.test(name));
  assert.deepEqual(
    lacking.filter((name) => !(name in notTold)),
    [],
  );
  for (const name of Object.keys(notTold)) assert.ok(!ours.has(name), `${name} is told now: strike it out`);
  for (const [name, labels] of theirs) if (ours.has(name)) assert.equal(ours.get(name), labels, name);
  assert.ok([...theirs.keys()].some((name) => name === "argocd_app_info"));

  const [said, expected] = [await eventsOf(world.kube), await eventsOf(cluster.kube)];
  // How far it had come at each look, and whether something was healed meanwhile, is chance.
  const steady = (all: string[]) =>
    all.filter((one) => !/health status|sync status: {2}-> OutOfSync|Partial sync/.test(one));
  assert.equal(steady(expected).length, 3);
  assert.deepEqual(steady(said), steady(expected));
});
