import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createControlState, type LiveState } from "@capstan/kube";
import { argoApiVersion, isApplication, type Manifest } from "@capstan/model";
import { ImagePlans } from "@capstan/planning";
import {
  createGitRepository,
  eventually,
  openSmallWorld,
  realClock,
  type SmallRegistry,
  type SmallWorld,
  sketchApplication,
  sketchImage,
  startSmallRegistry,
} from "@capstan/testkit";
import { Registry } from "prom-client";
import { type ImageUpdater, startImageUpdater } from "./image-updater.ts";

const namespace = "argocd";
const limit = () => AbortSignal.timeout(60_000);
const waiting = () => ({
  signal: AbortSignal.timeout(40_000),
  describe: () => JSON.stringify(world.log.slice(-5)),
});
const prefix = "argocd-image-updater.argoproj.io/";

let world: SmallWorld;
let live: LiveState;
let registry: SmallRegistry;
let updater: ImageUpdater;
const metrics = new Registry();

before(async () => {
  world = await openSmallWorld();
  registry = await startSmallRegistry();
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  live = createControlState({ client: world.kube, clock: realClock, log: quiet });
  await live.ready(limit());
  const { kube, settings, repo } = world;
  const conf = `registries: [{prefix: "${registry.host}", api_url: "http://${registry.host}", limit: 0}]`;
  await kube.create(
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "argocd-image-updater-config", namespace },
      data: { "registries.conf": conf },
    },
    { signal: limit() },
  );
  await eventually(
    () => settings.current.imageUpdater["registries.conf"] !== undefined || undefined,
    waiting(),
  );
  const plans = new ImagePlans({ kube, settings, clock: realClock, namespace, env: {} });
  updater = startImageUpdater({
    kube,
    live,
    repo,
    settings,
    plans,
    clock: realClock,
    log: quiet,
    metrics,
    namespace,
  });
});
after(async () => {
  await updater[Symbol.asyncDispose]();
  await live[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

const kustomization = "resources: [deployment.yaml]\n";
const deployment = (image: string) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: '${image}'}]}
`;

function withAnnotations(app: Manifest, texts: Record<string, string>): Manifest {
  const annotations = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [`${prefix}${name}`, text]),
  );
  return { ...app, metadata: { ...app.metadata, annotations } };
}

async function findApplication(name: string) {
  const ref = { apiVersion: argoApiVersion, kind: "Application", namespace, name };
  const found = await world.kube.get(ref, limit());
  assert.ok(found && isApplication(found));
  return found;
}

test("a new tag of a registry becomes the image of the Application, and what runs", async () => {
  const image = `${registry.host}/shop/web`;
  await registry.push("shop/web", "1.0.0", sketchImage());
  await using git = await createGitRepository({
    "kustomization.yaml": kustomization,
    "deployment.yaml": deployment(`${image}:1.0.0`),
  });
  const sketch = sketchApplication({ name: "web", repoURL: git.url });
  await world.kube.create(withAnnotations(sketch, { "image-list": `web=${image}:1.x` }), { signal: limit() });
  const runs = () =>
    eventually(async () => (await findApplication("web")).status?.summary?.images?.[0], waiting());
  assert.equal(await runs(), `${image}:1.0.0`);
  await updater.idle();
  for (const tag of ["1.1.0", "2.0.0"]) await registry.push("shop/web", tag, sketchImage({ salt: tag }));
  updater.pushed(image);
  await eventually(async () => (await runs()) === `${image}:1.1.0` || undefined, waiting());
  const { spec } = await findApplication("web");
  assert.deepEqual(spec.source?.kustomize?.images, [`${image}:1.1.0`]);
  await updater.idle();
  const query = { apiVersion: "v1", kind: "Event", namespace };
  const events = (await world.kube.list(query, limit())).items.filter(
    ({ reason }) => reason === "ImagesUpdated",
  );
  assert.equal(events.length, 1);
  assert.match(String(events[0]?.message), /shop\/web 1\.0\.0 -> 1\.1\.0$/);
  assert.match(await metrics.metrics(), /argocd_image_updater_images_updated_total 1\n/);
  assert.match(await metrics.metrics(), /argocd_image_updater_applications_watched_total 1\n/);
});
