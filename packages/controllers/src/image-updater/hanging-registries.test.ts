import assert from "node:assert/strict";
import { test } from "node:test";
import { HostCalls } from "@capstan/git-hosts";
import { createControlState } from "@capstan/kube";
import { argoApiVersion, isApplication, type Manifest } from "@capstan/model";
import { ImagePlans } from "@capstan/planning";
import {
  eventually,
  realClock,
  sketchApplication,
  sketchImage,
  startLoopbackServer,
  startSmallRegistry,
} from "@capstan/testkit";
import { openSmallWorld } from "@capstan/testkit/worlds";
import { Registry } from "prom-client";
import { startImageUpdater } from "./image-updater.ts";

const namespace = "argocd";
const limit = () => AbortSignal.timeout(60_000);
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
/** More applications than ask one registry at a time. */
const waiting = Array.from({ length: 20 }, (_, index) => `waits-${index}`);

/** An application whose image is written down in itself, though nothing is rendered. */
function follows(name: string, image: string): Manifest {
  const app = sketchApplication({ name, repoURL: "https://git.example/x" });
  const annotations = {
    "argocd-image-updater.argoproj.io/image-list": `web=${image}:1.x`,
    "argocd-image-updater.argoproj.io/web.force-update": "true",
    "argocd-image-updater.argoproj.io/write-back-target": "kustomization",
  };
  return { ...app, metadata: { ...app.metadata, annotations }, status: { sourceType: "Kustomize" } };
}

test("a registry that hangs holds up only the applications that ask it", async () => {
  await using world = await openSmallWorld();
  await world.stopController();
  await using well = await startSmallRegistry();
  const asked: string[] = [];
  await using stuck = await startLoopbackServer(({ url = "" }) => void asked.push(url));
  const { kube, settings } = world;
  const hosts = [well.host, new URL(stuck.url).host];
  const registries = hosts.map((host) => ({ prefix: host, api_url: `http://${host}`, limit: 0 }));
  const create = (object: Manifest) => kube.create(object, { signal: limit() });
  await create({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "argocd-image-updater-config", namespace },
    data: { "registries.conf": JSON.stringify({ registries }) },
  });
  await using live = createControlState({ client: kube, clock: realClock, log });
  await live.ready(limit());
  const until = (what: string, isTrue: () => Promise<boolean> | boolean) =>
    eventually(async () => (await isTrue()) || undefined, { signal: limit(), describe: () => what });
  await until("settings", () => settings.current.imageUpdater["registries.conf"] !== undefined);
  const plans = new ImagePlans({ kube, settings, clock: realClock, namespace, env: {}, live });
  const own = { kube, live, repo: world.repo, hosts: new HostCalls(realClock), settings, plans };
  await using _updater = startImageUpdater({
    ...{ ...own, clock: realClock, log, namespace, metrics: new Registry() },
  });
  for (const name of waiting) await create(follows(name, `${new URL(stuck.url).host}/${name}`));
  await until("it is asked", () => asked.length >= 16);
  await well.push("web", "1.1.0", sketchImage());
  await create(follows("well", `${well.host}/web`));
  const ref = { apiVersion: argoApiVersion, kind: "Application", namespace, name: "well" };
  await until("the image is not written", async () => {
    const app = await kube.get(ref, limit());
    return isApplication(app) && app.spec.source?.kustomize?.images?.[0] === `${well.host}/web:1.1.0`;
  });
  assert.equal(asked.length, 16, "of one registry sixteen images are asked for at a time");
});
