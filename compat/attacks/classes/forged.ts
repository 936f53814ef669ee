/** What an Application claims of itself, and what an account asks of one, beyond its project. */
import assert from "node:assert/strict";
import { eventually, untilApplication } from "@capstan/testkit";
import type { Attack, AttackWorld, Places, Who } from "../attack.ts";
import { configMap } from "../config-maps.ts";
import { deploys } from "../deploy.ts";

const inRival = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", namespace: "rival-a", name });
const limit = () => AbortSignal.timeout(100_000);
const applicationRef = (name: string) => ({
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  namespace: "argocd",
  name,
});

/** An application of alice's that has done nothing wrong yet. */
function honest(name: string): (world: AttackWorld) => Promise<void> {
  return deploys(name, {
    files: () => ({ "app/a.yaml": configMap({ name: "own" }) }),
    ends: { harmless: true },
  });
}

/** Whoever may write the Application, by git or by kubectl, may write its status and operation too. */
async function forge(world: AttackWorld, name: string, body: object): Promise<void> {
  await world.capstan.kube.patch(applicationRef(name), { type: "merge", body }, { signal: limit() });
}

const foreignOperation = ({ gitUrl }: Places) => ({
  sync: { source: { repoURL: `${gitUrl}/rival-app.git`, path: "." } },
  initiatedBy: { username: "admin" },
});

function operates(name: string, isUnderWay: boolean): Attack["play"] {
  return async (world) => {
    await honest(name)(world);
    const operation = foreignOperation(world.at);
    const startedAt = new Date().toISOString();
    const status = { operationState: { phase: "Running", startedAt, operation } };
    await forge(world, name, { operation, ...(isUnderWay ? { status } : {}) });
    const view = await untilApplication(
      world.capstan.kube,
      name,
      ({ phase }) => phase === "Error" || phase === "Failed",
    );
    assert.match(view.message, /is not permitted in project/);
    const answers = ["", "/manifests", "/managed-resources"].map((path) =>
      world.ask("alice", `GET /api/v1/applications/${name}${path}`),
    );
    await world.assertUnharmed((await Promise.all(answers)).map(({ body }) => JSON.stringify(body)));
  };
}

const plans = "group=&version=v1&kind=ConfigMap&namespace=rival-a&resourceName=plans";

async function forgedResources(world: AttackWorld): Promise<void> {
  const name = "bounds-forged-resources";
  await honest(name)(world);
  const resources = [
    { version: "v1", kind: "ConfigMap", namespace: "rival-a", name: "plans", status: "Synced" },
    { version: "v1", kind: "Secret", namespace: "rival-a", name: "treasure", status: "Synced" },
  ];
  await forge(world, name, { status: { resources, sourceType: "Helm" } });
  const base = `/api/v1/applications/${name}`;
  const refused = [
    await world.ask("alice", `GET ${base}/resource?${plans}`),
    await world.ask("alice", `POST ${base}/resource?${plans}`, {
      body: JSON.stringify(JSON.stringify({ data: { value: "changed" } })),
    }),
    await world.ask("alice", `DELETE ${base}/resource?${plans}`),
    await world.ask("alice", `GET ${base}/events?resourceNamespace=rival-a&resourceName=plans`),
  ];
  for (const { status, body } of refused) assert.ok(status >= 400, `${status}: ${JSON.stringify(body)}`);
  const shown = await world.ask("alice", `GET ${base}/resource-tree`);
  const told = await world.ask("alice", `GET ${base}/events?withObjects=true`);
  for (const { body } of [shown, told]) assert.ok(!JSON.stringify(body).includes("plans"));
  assert.ok(await world.capstan.kube.get(inRival("plans"), limit()), "it was deleted");
  await world.assertUnharmed([...refused, shown, told].map(({ body }) => JSON.stringify(body)));
}

/** Manifests of the caller's, compared with what lives under their names. */
async function ownManifests(world: AttackWorld): Promise<void> {
  const name = "bounds-own-manifests";
  await honest(name)(world);
  const texts: string[] = [];
  for (const [kind, object] of [
    ["ConfigMap", "plans"],
    ["Secret", "treasure"],
  ]) {
    const metadata = { name: object, namespace: "rival-a" };
    const manifest = JSON.stringify({ apiVersion: "v1", kind, metadata });
    const base = `/api/v1/applications/${name}`;
    const diff = `GET ${base}/server-side-diff?targetManifests=${encodeURIComponent(manifest)}`;
    const asked = [
      await world.ask("carol", diff),
      await world.ask("carol", `POST ${base}/sync-plan`, { body: { manifests: [manifest] } }),
    ];
    texts.push(...asked.map(({ body }) => JSON.stringify(body)));
  }
  await world.assertUnharmed(texts);
}

/** A finished sync that the status claims, with manifests that a person is said to have brought. */
async function broughtBySomebody(world: AttackWorld): Promise<void> {
  const name = "bounds-forged-brought";
  await honest(name)(world);
  const objects = [
    ["ConfigMap", "plans"],
    ["Secret", "treasure"],
  ].map(([kind, object]) => ({ apiVersion: "v1", kind, metadata: { name: object, namespace: "rival-a" } }));
  const operation = { sync: { manifests: objects.map((object) => JSON.stringify(object)), prune: true } };
  const times = { startedAt: new Date().toISOString(), finishedAt: new Date().toISOString() };
  await forge(world, name, {
    metadata: { annotations: { "argocd.argoproj.io/refresh": "normal" } },
    spec: { syncPolicy: null },
    status: { operationState: { phase: "Succeeded", ...times, operation } },
  });
  await untilApplication(world.capstan.kube, name, ({ sync }) => sync === "OutOfSync");
  const base = `/api/v1/applications/${name}`;
  const paths = ["", "/manifests", "/managed-resources", "/resource-tree", "/server-side-diff"];
  const answers = paths.map((path) => world.ask("alice", `GET ${base}${path}`));
  answers.push(world.ask("alice", `POST ${base}/sync`, { body: JSON.stringify({ prune: true }) }));
  await world.assertUnharmed((await Promise.all(answers)).map(({ body }) => JSON.stringify(body)));
  assert.ok(await world.capstan.kube.get(inRival("plans"), limit()), "it was deleted");
}

/** An Application that an application makes, in a namespace where nobody lets Applications be. */
async function applicationElsewhere(world: AttackWorld): Promise<void> {
  const name = "bounds-app-elsewhere";
  const child = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: "child" },
    spec: {
      project: "rival",
      source: { repoURL: `${world.at.gitUrl}/rival-app.git`, path: "." },
      destination: { server: "https://kubernetes.default.svc", namespace: "rival-a" },
      syncPolicy: { automated: {} },
    },
  };
  await deploys(name, { files: () => ({ "app/a.yaml": JSON.stringify(child) }), ends: { either: true } })(
    world,
  );
  const where = `appNamespace=team-${name}`;
  const texts: string[] = [];
  for (const who of ["alice", "bob"] satisfies Who[])
    for (const path of ["", "/manifests", "/managed-resources", "/resource-tree"]) {
      const answer = await world.ask(who, `GET /api/v1/applications/child${path}?${where}`);
      assert.equal(answer.status, 403, `${who} ${path}`);
      texts.push(JSON.stringify(answer.body));
    }
  assert.equal(await world.capstan.kube.get(inRival("rival"), limit()), undefined);
  await world.assertUnharmed(texts);
}

async function links(world: AttackWorld): Promise<void> {
  const name = "bounds-links";
  const annotations = { "link.argocd.argoproj.io/x": "Click|javascript:alert(document.cookie)" };
  await deploys(name, {
    files: () => ({ "app/a.yaml": configMap({ name: "own", annotations }) }),
    application: () => ({ metadata: { annotations } }),
    ends: { harmless: true },
  })(world);
  await forge(world, name, { status: { summary: { externalURLs: ["javascript:alert(1)"] } } });
  await eventually(
    async () => {
      const found = await world.ask("alice", `GET /api/v1/applications/${name}/links`);
      return found.status === 200 || undefined;
    },
    { signal: limit(), describe: () => "no links" },
  );
  const tree = JSON.stringify(
    (await world.ask("alice", `GET /api/v1/applications/${name}/resource-tree`)).body,
  );
  const listed = JSON.stringify((await world.ask("alice", `GET /api/v1/applications/${name}/links`)).body);
  const shown = (await world.ask("alice", `GET /api/v1/applications/${name}?fields=status.summary`)).body;
  for (const text of [tree, listed, JSON.stringify(shown)]) assert.ok(!text.includes("javascript:"), text);
}

/** What two texts of one version say is read once; these two are of two objects. */
async function poses(world: AttackWorld): Promise<void> {
  const [victim, name] = ["bounds-posed-as", "bounds-poses"];
  for (const one of [victim, name]) await honest(one)(world);
  const { kube } = world.capstan;
  const shown = (one: string) => world.ask("alice", `GET /api/v1/applications/${one}`);
  const { uid, resourceVersion } =
    (await kube.get(applicationRef(victim), limit()))?.metadata ?? assert.fail();
  await forge(world, name, { metadata: { annotations: { resourceVersion, uid } } });
  const until = (is: (answer: Awaited<ReturnType<typeof shown>>) => boolean) =>
    eventually(async () => is(await shown(name)) || undefined, {
      signal: limit(),
      describe: () => `${name} is shown as it was`,
    });
  await until(({ body }) => JSON.stringify(body).includes(`"uid":"${uid}"`));
  await kube.delete(applicationRef(name), { signal: limit() });
  await until(({ status }) => status >= 400);
  const left = await shown(victim);
  assert.equal(left.status, 200, JSON.stringify(left.body));
  await world.assertUnharmed([JSON.stringify(left.body)]);
}

export const attacks: readonly Attack[] = [
  {
    id: "forged/resources",
    threat: "A forged status.resources names foreign objects, to read, patch, delete and list events of them",
    heldBy: "the live tree says what an application owns, never its status",
    advisories: ["CVE-2022-24768"],
    play: forgedResources,
  },
  {
    id: "forged/an-operation",
    threat: "An operation that the Application brings along deploys a forbidden repository",
    heldBy: "sources of operations are judged as those of the spec, by the project as it is now",
    play: operates("bounds-forged-operation", false),
  },
  {
    id: "forged/a-running-operation",
    threat: "A status says that an operation with a forbidden repository is under way already",
    heldBy: "sources of operations are judged at every step, by the project as it is now",
    play: operates("bounds-forged-running", true),
  },
  {
    id: "forged/manifests-of-the-callers",
    threat: "Who may only look compares manifests of his own with foreign objects, which shows them",
    heldBy: "of given manifests only what the application owns or its sources name is compared",
    play: ownManifests,
  },
  {
    id: "forged/brought-manifests",
    threat:
      "A status says that manifests of foreign objects were synced last, so that they are compared with and shown",
    heldBy: "what a person brought is asked of the project object by object, as what git says is",
    play: broughtBySomebody,
  },
  {
    id: "forged/application-elsewhere",
    threat: "An application makes an Application of a foreign project in its own namespace",
    heldBy: "application.namespaces and the project's sourceNamespaces: others have neither effect nor API",
    advisories: ["CVE-2023-22736", "CVE-2024-31990"],
    play: applicationElsewhere,
  },
  {
    id: "forged/version-of-another",
    threat:
      "An Application whose annotations name the version and uid of another is changed and deleted, so that the other counts as gone",
    heldBy: "two texts are one object only where they are equal to the letter",
    play: poses,
  },
  {
    id: "forged/links-that-run",
    threat: "Links of objects, of the Application and of its status are javascript:",
    heldBy: "only links that begin with http:// or https:// are passed on",
    advisories: ["CVE-2022-31035", "CVE-2024-28175"],
    play: links,
  },
];
