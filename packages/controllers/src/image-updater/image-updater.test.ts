import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { HostCalls } from "@capstan/git-hosts";
import { createControlState, type LiveState } from "@capstan/kube";
import { annotationKeys, argoApiVersion, isApplication, isImageUpdater, type Manifest } from "@capstan/model";
import { ImagePlans } from "@capstan/planning";
import {
  createGitRepository,
  eventually,
  realClock,
  type SmallRegistry,
  sketchApplication,
  sketchImage,
  startGitServer,
  startHostServer,
  startSmallRegistry,
} from "@capstan/testkit";
import { openSmallWorld, type SmallWorld } from "@capstan/testkit/worlds";
import type { RepoServer } from "@capstan/wire";
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
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

before(async () => {
  world = await openSmallWorld();
  registry = await startSmallRegistry();
  live = createControlState({ client: world.kube, clock: realClock, log: quiet });
  await live.ready(limit());
  const { kube, settings } = world;
  const conf = `registries: [{prefix: "${registry.host}", api_url: "http://${registry.host}", limit: 0}]`;
  await kube.create(
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "argocd-image-updater-config", namespace },
      data: {
        "registries.conf": conf,
        "git.commit-signing-key": "secret:signing#key",
        "git.commit-signing-method": "ssh",
      },
    },
    { signal: limit() },
  );
  const metadata = { name: "signing", namespace };
  const stringData = { key: await sshKey() };
  await kube.create({ apiVersion: "v1", kind: "Secret", metadata, stringData }, { signal: limit() });
  await eventually(
    () => settings.current.imageUpdater["registries.conf"] !== undefined || undefined,
    waiting(),
  );
  updater = startUpdater(world.repo);
});

function startUpdater(repo: RepoServer): ImageUpdater {
  const { kube, settings } = world;
  const plans = new ImagePlans({
    kube,
    settings,
    clock: realClock,
    namespace,
    env: {},
    live,
  });
  const hosts = new HostCalls(realClock);
  const own = { kube, live, repo, hosts, settings, plans, clock: realClock, log: quiet, namespace };
  return startImageUpdater({ ...own, metrics: updaterMetrics() });
}

async function sshKey(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "capstan-key-"));
  try {
    await promisify(execFile)("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(dir, "key")]);
    return await readFile(join(dir, "key"), "utf8");
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

let metrics = new Registry();
function updaterMetrics(): Registry {
  metrics = new Registry();
  return metrics;
}

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

/** As a webhook of the registry does, and whoever does not want to wait. */
async function askNow(name: string): Promise<void> {
  const ref = { apiVersion: argoApiVersion, kind: "Application", namespace, name };
  const body = { metadata: { annotations: { [annotationKeys.imageUpdates]: "now" } } };
  await world.kube.patch(ref, { type: "merge", body }, { signal: limit() });
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
  await askNow("web");
  await eventually(async () => (await runs()) === `${image}:1.1.0` || undefined, waiting());
  const { spec } = await findApplication("web");
  assert.deepEqual(spec.source?.kustomize?.images, [`${image}:1.1.0`]);
  assert.equal((await findApplication("web")).metadata.annotations?.[annotationKeys.imageUpdates], undefined);
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

test("a commit says the new version, a kill after the push repeats nothing, and the Application follows it", async () => {
  await using server = await startGitServer({ credentials: { username: "ada", password: "secret" } });
  const image = `${registry.host}/shop/api`;
  await registry.push("shop/api", "1.0.0", sketchImage());
  const git = await server.createRepository("shop", {
    "api/kustomization.yaml": kustomization,
    "api/deployment.yaml": deployment(`${image}:1.0.0`),
  });
  const secret = (name: string, type: string, data: Record<string, string>): Manifest => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace, labels: { "argocd.argoproj.io/secret-type": type } },
    stringData: { type: "git", url: git.url, ...data },
  });
  const login = { username: "ada", password: "secret" };
  for (const one of [
    secret("shop-read", "repository", login),
    secret("shop-write", "repository-write", login),
  ])
    await world.kube.create(one, { signal: limit() });
  await eventually(() => world.settings.current.writeRepositories[0], waiting());
  const sketch = sketchApplication({ name: "api", repoURL: git.url, path: "api" });
  await world.kube.create(
    withAnnotations(sketch, {
      "image-list": `api=${image}`,
      "write-back-method": "git",
      "git-branch": "main",
    }),
    { signal: limit() },
  );
  const runs = () =>
    eventually(async () => (await findApplication("api")).status?.summary?.images?.[0], waiting());
  assert.equal(await runs(), `${image}:1.0.0`);
  await updater.idle();
  await updater[Symbol.asyncDispose]();
  await registry.push("shop/api", "1.10", sketchImage({ salt: "2" }));
  const killed = Promise.withResolvers<void>();
  const dying: RepoServer = {
    ...world.repo,
    writeFiles: async (request, signal) => {
      await world.repo.writeFiles(request, signal);
      killed.resolve();
      throw new Error("killed after the push");
    },
  };
  updater = startUpdater(dying);
  await killed.promise;
  await updater[Symbol.asyncDispose]();
  updater = startUpdater(world.repo);
  await eventually(async () => (await runs()) === `${image}:1.10` || undefined, waiting());
  await updater.idle();
  assert.equal(await git.git("rev-list", "--count", "main"), "2");
  assert.equal(
    await git.git("log", "-1", "--format=%B", "main"),
    `build: automatic update of api\n\nupdates image ${image} tag '1.0.0' to '1.10'`,
  );
  // That it is the key's is proven where it is made: render/src/write/commit-signers.test.ts.
  assert.match(await git.git("cat-file", "commit", "main"), /\ngpgsig -----BEGIN SSH SIGNATURE-----\n/);
  assert.equal(
    await git.git("show", "main:api/.argocd-source-api.yaml"),
    `kustomize:\n  images:\n    - ${image}:1.10`,
  );
  assert.equal((await findApplication("api")).spec.source?.kustomize, undefined);
});

test("an ImageUpdater of the namespace counts in place of annotations, and its status says what was done", async () => {
  const image = `${registry.host}/shop/cart`;
  await registry.push("shop/cart", "1.0.0", sketchImage());
  await registry.push("shop/cart", "1.1.0", sketchImage({ salt: "1" }));
  await registry.push("shop/cart", "2.0.0", sketchImage({ salt: "2" }));
  await using git = await createGitRepository({
    "kustomization.yaml": kustomization,
    "deployment.yaml": deployment(`${image}:1.0.0`),
  });
  const ref = {
    apiVersion: "argocd-image-updater.argoproj.io/v1alpha1",
    kind: "ImageUpdater",
    namespace,
    name: "cart",
  };
  const { apiVersion, kind, ...metadata } = ref;
  const refs = (imageName: string) => ({
    applicationRefs: [{ namePattern: "cart*", images: [{ alias: "cart", imageName }] }],
  });
  await world.kube.create({ apiVersion, kind, metadata, spec: refs(`${image}:1.x`) }, { signal: limit() });
  const elsewhere = { apiVersion, kind, metadata: { name: "cart", namespace: "default" } };
  await world.kube.create({ ...elsewhere, spec: refs(`${image}:9.x`) }, { signal: limit() });
  const sketch = sketchApplication({ name: "cart", repoURL: git.url });
  await world.kube.create(withAnnotations(sketch, { "image-list": `cart=${image}:2.x` }), {
    signal: limit(),
  });
  const updated = (wanted: string) =>
    eventually(
      async () => (await findApplication("cart")).spec.source?.kustomize?.images?.[0] === wanted || undefined,
      waiting(),
    );
  await updated(`${image}:1.1.0`);
  const status = await eventually(async () => {
    const found = await world.kube.get(ref, limit());
    assert.ok(isImageUpdater(found));
    return found.status?.recentUpdates ? found.status : undefined;
  }, waiting());
  const { conditions = [], recentUpdates = [], applicationsMatched, imagesManaged } = status;
  assert.deepEqual([applicationsMatched, imagesManaged], [1, 1]);
  assert.deepEqual(
    conditions.map(({ type, status: is, reason, message }) => [type, is, reason, message]),
    [
      ["Reconciling", "False", "Idle", "Last check completed. Awaiting next cycle."],
      ["Error", "False", "NoErrors", "No errors during last reconciliation."],
      ["Ready", "True", "ReconcileSucceeded", "Reconciled 1 applications, 1 images updated."],
    ],
  );
  assert.deepEqual(
    recentUpdates.map(({ updatedAt: _, ...one }) => one),
    [
      {
        alias: "cart",
        image,
        newVersion: "1.1.0",
        applicationsUpdated: 1,
        message: "Updated from 1.0.0 to 1.1.0.",
      },
    ],
  );
  await world.kube.delete(ref, { signal: limit() });
  await updated(`${image}:2.0.0`);
});

test("a pull request is opened once, whatever is killed, and changed with the next version", async () => {
  await using server = await startGitServer({ credentials: { username: "ada", password: "secret" } });
  const asked: string[] = [];
  const pulls: Record<string, unknown>[] = [];
  await using host = await startHostServer(({ method, path, body, headers }) => {
    if (headers.authorization !== "Bearer secret") return { status: 401, body: {} };
    const sent = body === "" ? {} : JSON.parse(body);
    asked.push([method, path, ...(body === "" ? [] : [sent.title])].join(" "));
    if (method === "GET") return { body: pulls };
    if (method === "PATCH") return { body: Object.assign(pulls[0] ?? {}, sent) };
    const repo = { id: 1 };
    const made = { number: 1, state: "open", merged_at: null, title: sent.title };
    pulls.push({ ...made, head: { ref: sent.head, sha: "", repo }, base: { ref: sent.base, repo } });
    return { status: 201, body: pulls[0] };
  });
  const image = `${registry.host}/shop/mail`;
  await registry.push("shop/mail", "1.0.0", sketchImage());
  await registry.push("shop/mail", "1.1.0", sketchImage({ salt: "1" }));
  const git = await server.createRepository("acme/mail", {
    "kustomization.yaml": kustomization,
    "deployment.yaml": deployment(`${image}:1.0.0`),
  });
  const metadata = {
    name: "mail-write",
    namespace,
    labels: { "argocd.argoproj.io/secret-type": "repository-write" },
  };
  const login = { username: "ada", password: "secret", githubAppEnterpriseBaseUrl: host.url };
  const stringData = { type: "git", url: git.url, ...login };
  await world.kube.create({ apiVersion: "v1", kind: "Secret", metadata, stringData }, { signal: limit() });
  const read = {
    ...metadata,
    name: "mail-read",
    labels: { "argocd.argoproj.io/secret-type": "repository" },
  };
  await world.kube.create(
    { apiVersion: "v1", kind: "Secret", metadata: read, stringData },
    { signal: limit() },
  );
  const isKnown = () =>
    world.settings.current.writeRepositories.some(({ url }) => url === git.url) || undefined;
  await eventually(isKnown, waiting());
  await updater[Symbol.asyncDispose]();
  const killed = Promise.withResolvers<void>();
  updater = startUpdater({
    ...world.repo,
    writeFiles: async (request, signal) => {
      await world.repo.writeFiles(request, signal);
      killed.resolve();
      throw new Error("killed after the push");
    },
  });
  const sketch = sketchApplication({ name: "mail", repoURL: git.url });
  const texts = {
    "image-list": `mail=${image}:1.x`,
    "write-back-method": "git",
    "git-branch": "main:bot/{{.AppName}}",
    "pull-request": "github",
  };
  await world.kube.create(withAnnotations(sketch, texts), { signal: limit() });
  await killed.promise;
  await updater[Symbol.asyncDispose]();
  assert.equal(asked.length, 0);
  updater = startUpdater(world.repo);
  await eventually(() => pulls[0], waiting());
  await updater.idle();
  await updater[Symbol.asyncDispose]();
  updater = startUpdater(world.repo);
  await updater.idle();
  const path = "/api/v3/repos/acme/mail/pulls";
  const opened = [`GET ${path}`, `POST ${path} build: automatic update of mail`, `GET ${path}`];
  assert.deepEqual(asked, opened);
  assert.equal(await git.git("rev-list", "--count", "bot/mail"), "2");
  assert.equal(await git.git("rev-list", "--count", "main"), "1");
  await registry.push("shop/mail", "1.2.0", sketchImage({ salt: "2" }));
  await askNow("mail");
  await eventually(() => asked.some((line) => line.startsWith("PATCH")) || undefined, waiting());
  await updater.idle();
  const changed = [`GET ${path}`, `PATCH ${path}/1 build: automatic update of mail`];
  assert.deepEqual(asked, [...opened, ...changed]);
  assert.match(await git.git("show", "bot/mail:.argocd-source-mail.yaml"), /mail:1\.2\.0/);
  assert.equal(await git.git("rev-list", "--count", "main"), "1");
});

test("git is written only where the project permits it, with credentials of the application's own namespace", async () => {
  const image = `${registry.host}/shop/db`;
  await registry.push("shop/db", "2.0.0", sketchImage());
  const project = { apiVersion: argoApiVersion, kind: "AppProject", metadata: { name: "shop", namespace } };
  const destinations = [{ server: "*", namespace: "*" }];
  const spec = { sourceRepos: ["https://git.example/shop"], destinations };
  await world.kube.create({ ...project, spec }, { signal: limit() });
  const refused = async (name: string, texts: Record<string, string>) => {
    const sketch = sketchApplication({
      name,
      repoURL: "https://git.example/shop",
      project: "shop",
      path: "x",
    });
    const list = {
      "image-list": `db=${image}`,
      "force-update": "true",
      "write-back-target": "kustomization",
    };
    await world.kube.create(withAnnotations(sketch, { ...list, ...texts }), { signal: limit() });
    const query = { apiVersion: "v1", kind: "Event", namespace };
    const event = await eventually(async () => {
      const { items } = await world.kube.list(query, limit());
      return items.find(
        ({ reason, involvedObject }) =>
          reason === "ImageNotUpdated" && JSON.stringify(involvedObject).includes(`"${name}"`),
      );
    }, waiting());
    return String(event.message);
  };
  const git = { "write-back-method": "git", "git-branch": "main" };
  assert.match(
    await refused("db-other", { ...git, "git-repository": "https://git.example/other" }),
    /not permitted/,
  );
  const of = (secret: string) => ({ ...git, "write-back-method": `git:secret:${secret}` });
  assert.match(await refused("db-namespace", of("kube-system/token")), /of another namespace/);
  assert.match(await refused("db-own", of("argocd/shop-read")), /is not for applications/);
  const metadata = { name: "db-read", namespace, labels: { "argocd.argoproj.io/secret-type": "repository" } };
  const stringData = { type: "git", url: "https://git.example/shop", username: "ada", password: "secret" };
  await world.kube.create({ apiVersion: "v1", kind: "Secret", metadata, stringData }, { signal: limit() });
  const isKnown = () =>
    world.settings.current.repositories.some(({ url }) => url === stringData.url) || undefined;
  await eventually(isKnown, waiting());
  const reading = await refused("db-reading", git);
  assert.match(
    reading,
    /credentials for https:\/\/git\.example\/shop are for reading: give it some for writing/,
  );
  assert.doesNotMatch(reading, /secret:? ?"?secret|ada/);
});

test("the operator can leave images to argocd-image-updater", async () => {
  const watched = async () => /applications_watched_total (\d+)/.exec(await metrics.metrics())?.[1];
  assert.notEqual(await watched(), "0");
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "argocd-cmd-params-cm", namespace } };
  const off = { ...map, data: { "capstan.imageupdater.enabled": "false" } };
  await world.kube.apply(off, { fieldManager: "operator", force: true, signal: limit() });
  await eventually(async () => (await watched()) === "0" || undefined, waiting());
  const on = { ...map, data: { "capstan.imageupdater.enabled": "true" } };
  await world.kube.apply(on, { fieldManager: "operator", force: true, signal: limit() });
  await eventually(async () => (await watched()) !== "0" || undefined, waiting());
});
