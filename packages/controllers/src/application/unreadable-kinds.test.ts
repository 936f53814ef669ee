import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeResponse } from "@capstan/kube";
import {
  configMapText,
  createGitRepository,
  eventually,
  sketchApplication,
  untilApplication,
} from "@capstan/testkit";
import {
  applicationRef,
  configMapRef,
  openSmallWorld,
  readObject,
  refresh,
  type SmallWorld,
  untilObject,
} from "@capstan/testkit/worlds";

const signal = () => AbortSignal.timeout(60_000);
const hiddenRef = { apiVersion: "v1", kind: "Secret", namespace: "web", name: "hidden" };
const secretText = "apiVersion: v1\nkind: Secret\nmetadata: {name: hidden}\nstringData: {key: value}\n";

function refusal(verb: string): KubeResponse {
  const message = `secrets is forbidden: User "limited" cannot ${verb} resource "secrets"`;
  const status = {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    reason: "Forbidden",
    message,
    code: 403,
  };
  return { status: 403, headers: {}, body: JSON.stringify(status) };
}

function review(allowed: boolean): KubeResponse {
  const body = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    metadata: { creationTimestamp: null },
    status: { allowed },
  };
  return { status: 201, headers: {}, body: JSON.stringify(body) };
}

/** The cluster is then opened anew. */
async function setRespect(world: SmallWorld, respect: string): Promise<void> {
  const metadata = { name: "argocd-cm", namespace: "argocd" };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "resource.respectRBAC": respect } };
  await world.kube.apply(object, { fieldManager: "test", force: true, signal: signal() });
  await eventually(() => world.settings.current.general.respectRbac === respect || undefined, {
    signal: signal(),
    describe: () => "the setting is not read",
  });
}

const lists = (world: SmallWorld) =>
  world.requests.filter(({ method, url }) => method === "GET" && url.startsWith("/api/v1/secrets?")).length;
const warnings = (world: SmallWorld) =>
  world.log.filter(({ message, facts }) => message === "watch interrupted" && facts.kind === "Secret").length;

/** A cluster whose account may write Secrets, and read none of them; with `get` each by its name. */
async function deployed(rights: { list: boolean; get: boolean; says?: boolean }, respect?: string) {
  const git = await createGitRepository({
    "app/one.yaml": configMapText("one"),
    "app/secret.yaml": secretText,
  });
  const world = await openSmallWorld({
    intercept: async ({ method, url }) => {
      const [path = "", query = ""] = url.split("?");
      if (path.endsWith("/selfsubjectaccessreviews")) return review(rights.says === true);
      if (method !== "GET" || !path.startsWith("/api/v1/")) return undefined;
      if (path === "/api/v1/secrets" && !rights.list)
        return refusal(query.includes("watch") ? "watch" : "list");
      if (path.endsWith("/secrets/hidden") && !rights.get) return refusal("get");
      return undefined;
    },
  });
  if (respect !== undefined) await setRespect(world, respect);
  const app = sketchApplication({ name: "web", repoURL: git.url, path: "app" });
  const finalizers = ["resources-finalizer.argocd.argoproj.io"];
  await world.kube.create({ ...app, metadata: { ...app.metadata, finalizers } }, { signal: signal() });
  const dispose = async () => {
    await world[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  };
  return { world, git, [Symbol.asyncDispose]: dispose };
}

async function untilGone(world: SmallWorld): Promise<void> {
  await world.kube.delete(applicationRef("web"), { signal: signal() });
  await untilObject(world, applicationRef("web"), (object) => object === undefined);
}

test("objects that may not be listed are a condition and Unknown, the others are compared, and warned of once", async () => {
  const rights = { list: false, get: true };
  await using place = await deployed(rights);
  const { world } = place;
  const view = await untilApplication(world.kube, "web", ({ phase }) => phase === "Succeeded");
  await untilApplication(world.kube, "web", ({ sync }) => sync === "Unknown");
  await world.kube.delete(configMapRef("web", "one"), { signal: signal() });
  await untilObject(world, configMapRef("web", "one"), (object) => object !== undefined);
  const { conditions, resources } = await untilApplication(
    world.kube,
    "web",
    ({ sync }) => sync === "Unknown",
  );
  assert.deepEqual(
    resources.map(({ kind, status }) => `${kind} ${status}`),
    ["ConfigMap Synced", "Secret Unknown"],
  );
  assert.deepEqual(
    conditions.map(({ type }) => type),
    ["UnreadableResourceWarning"],
  );
  assert.match(conditions[0]?.message ?? "", /^Secret cannot be listed in cluster in-cluster: .*limited/);
  assert.equal(view.phase, "Succeeded");
  const warnings = () => world.log.filter(({ message }) => message === "watch interrupted");
  await eventually(
    () => world.requests.filter(({ url }) => url.startsWith("/api/v1/secrets")).length > 3 || undefined,
    {
      signal: signal(),
      describe: () => "the list was not tried again",
    },
  );
  assert.equal(warnings().filter(({ facts }) => facts.kind === "Secret").length, 1);
  rights.list = true;
  const again = await untilApplication(world.kube, "web", ({ sync }) => sync === "Synced");
  assert.deepEqual(again.conditions, []);
  assert.ok(world.log.some(({ message }) => message === "watch works again"));
});

test("a deletion takes what may be read by its name, and waits for nothing else", async () => {
  await using place = await deployed({ list: false, get: true });
  const { world } = place;
  await untilApplication(world.kube, "web", ({ sync }) => sync === "Unknown");
  await untilGone(world);
  assert.equal(await readObject(world, configMapRef("web", "one")), undefined);
  assert.equal(await readObject(world, hiddenRef), undefined);
});

test("a deletion says of what it cannot tell whether it is gone", async () => {
  const rights = { list: false, get: false };
  await using place = await deployed(rights);
  const { world } = place;
  await untilApplication(world.kube, "web", ({ sync }) => sync === "Unknown");
  await untilGone(world);
  rights.get = true;
  assert.ok(await readObject(world, hiddenRef));
  const query = { apiVersion: "v1", kind: "Event", namespace: "argocd" };
  const { items } = await world.kube.list(query, signal());
  const event = items.find(({ reason }) => reason === "ObjectsLeft");
  assert.match(String(event?.message), /Secret web\/hidden \(.*forbidden/);
});

for (const respect of ["normal", "strict"])
  test(`with respectRBAC ${respect} a kind that may not be listed is not watched, and compared by name`, async () => {
    const rights = { list: false, get: true };
    await using place = await deployed(rights, respect);
    const { world } = place;
    const { conditions, resources } = await untilApplication(
      world.kube,
      "web",
      ({ sync }) => sync === "Synced",
    );
    assert.deepEqual(conditions, []);
    assert.deepEqual(
      resources.map(({ kind, status }) => `${kind} ${status}`),
      ["ConfigMap Synced", "Secret Synced"],
    );
    const [seen, said] = [lists(world), warnings(world)];
    const body = { stringData: { key: "changed" } };
    await world.kube.patch(hiddenRef, { type: "merge", body }, { signal: signal() });
    await refresh(world, "web");
    await untilObject(world, hiddenRef, (object) => Object(object?.data).key === "dmFsdWU=");
    assert.deepEqual(
      [lists(world), warnings(world)],
      [seen, said],
      "it is neither listed again nor warned of",
    );
    assert.deepEqual(world.clusters.ownLive().stats().problems, []);
    await untilGone(world);
    assert.equal(await readObject(world, hiddenRef), undefined, "deletions find it by its name");
  });

test("with respectRBAC normal what may not even be read is said and Unknown", async () => {
  await using place = await deployed({ list: false, get: false }, "normal");
  const { conditions } = await untilApplication(place.world.kube, "web", ({ sync }) => sync === "Unknown");
  assert.match(conditions[0]?.message ?? "", /^Secret cannot be listed in cluster in-cluster: .*limited/);
});

test("with respectRBAC strict a refusal that the account's rights do not explain stays a problem", async () => {
  const rights = { list: false, get: true, says: true };
  await using place = await deployed(rights, "strict");
  const { world } = place;
  await untilApplication(world.kube, "web", ({ sync }) => sync === "Unknown");
  await eventually(() => warnings(world) > 0 || undefined, {
    signal: signal(),
    describe: () => "no warning",
  });
  rights.list = true;
  await untilApplication(world.kube, "web", ({ sync }) => sync === "Synced");
});
