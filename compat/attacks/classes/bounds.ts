/** What an application, its status, its operation and an account reach beyond their project. */
import assert from "node:assert/strict";
import { eventually, untilApplication } from "@capstan/testkit";
import type { Attack, AttackWorld, Places, Who } from "../attack.ts";
import { deploys } from "../deploy.ts";
import { asks } from "../request.ts";

const configMap = (metadata: object, data: object = { value: "1" }) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata, data });
const hook = (type: string) => ({ "argocd.argoproj.io/hook": type });
const bindingOf = (name: string, annotations: object = {}) =>
  JSON.stringify({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name, annotations },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", name: "default", namespace: "team-a" }],
  });
const bindingRef = (name: string) => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  name,
});
const inRival = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", namespace: "rival-a", name });
const notThere = /namespace rival-a is not permitted in project 'team'/;
const limit = () => AbortSignal.timeout(100_000);
const applicationRef = (name: string) => ({
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  namespace: "argocd",
  name,
});

const permit = "every object that an application reads, changes or deletes needs a permit of its project";

/** An application of alice's that has done nothing wrong yet. */
function honest(name: string): (world: AttackWorld) => Promise<void> {
  return deploys(name, {
    files: () => ({ "app/a.yaml": configMap({ name: "own" }) }),
    ends: { harmless: true },
  });
}

/** A hook of the deletion waits until the application is deleted. */
function deletes(type: "PreDelete" | "PostDelete"): Attack["play"] {
  return async (world) => {
    const name = `bounds-${type.toLowerCase()}`;
    await deploys(name, {
      files: () => ({
        "app/a.yaml": configMap({ name: "own" }),
        "app/b.yaml": bindingOf(name, hook(type)),
      }),
      ends: { either: true },
    })(world);
    const deleted = await world.ask("alice", `DELETE /api/v1/applications/${name}`);
    assert.equal(deleted.status, 200);
    await untilApplication(world.capstan.kube, name, ({ conditions }) =>
      conditions.some((one) => one.type === "DeletionError"),
    );
    assert.equal(await world.capstan.kube.get(bindingRef(name), limit()), undefined);
    await world.assertUnharmed([]);
  };
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
    assert.match(view.message, /does not permit repository/);
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
  assert.ok(!JSON.stringify(shown.body).includes("plans"));
  assert.ok(await world.capstan.kube.get(inRival("plans"), limit()), "it was deleted");
  await world.assertUnharmed([...refused, shown].map(({ body }) => JSON.stringify(body)));
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

const rivalApp = ({ gitUrl }: Places) => encodeURIComponent(`${gitUrl}/rival-app.git`);
const sourceRule =
  "addresses have one spelling, what cannot be read for certain is refused, and sourceRepos decide";

export const attacks: readonly Attack[] = [
  {
    id: "bounds/a-foreign-namespace",
    threat: "A repository holds an object for a namespace that the project forbids",
    heldBy: permit,
    play: deploys("bounds-foreign", {
      files: () => ({ "app/a.yaml": configMap({ name: "taken", namespace: "rival-a" }) }),
      ends: { refused: notThere },
      absent: [inRival("taken")],
    }),
  },
  {
    id: "bounds/the-control-namespace",
    threat: "A repository holds argocd-rbac-cm, which makes its author an admin",
    heldBy: permit,
    advisories: ["CVE-2023-22736"],
    play: deploys("bounds-control", {
      files: () => ({
        "app/a.yaml": configMap(
          { name: "argocd-rbac-cm", namespace: "argocd" },
          { "policy.csv": "g, alice, role:admin" },
        ),
      }),
      ends: { refused: /namespace argocd is not permitted in project 'team'/ },
    }),
  },
  {
    id: "bounds/a-cluster-role-binding",
    threat: "A repository binds a service account of the tenant to cluster-admin",
    heldBy: permit,
    play: deploys("bounds-binding", {
      files: () => ({ "app/a.yaml": bindingOf("bounds-binding") }),
      ends: { refused: /ClusterRoleBinding is not permitted in project team/ },
      absent: [bindingRef("bounds-binding")],
    }),
  },
  {
    id: "bounds/a-list",
    threat: "A List hides an object for a foreign namespace",
    heldBy: permit,
    play: deploys("bounds-list", {
      files: () => ({
        "app/a.yaml": `{"apiVersion": "v1", "kind": "List", "items": [${configMap({ name: "listed", namespace: "rival-a" })}]}`,
      }),
      ends: { refused: notThere },
      absent: [inRival("listed")],
    }),
  },
  {
    id: "bounds/hooks-of-every-phase",
    threat: "Hooks of each phase of a sync act in a foreign namespace",
    heldBy: permit,
    play: deploys("bounds-hooks", {
      files: () => ({
        "app/own.yaml": configMap({ name: "own" }),
        ...Object.fromEntries(
          ["PreSync", "Sync", "PostSync", "SyncFail"].map((type) => [
            `app/${type}.yaml`,
            configMap({ name: `at-${type.toLowerCase()}`, namespace: "rival-a", annotations: hook(type) }),
          ]),
        ),
      }),
      ends: { refused: notThere },
      absent: ["presync", "sync", "postsync", "syncfail"].map((type) => inRival(`at-${type}`)),
    }),
  },
  {
    id: "bounds/pre-delete-hook",
    threat: "A PreDelete hook binds the tenant to cluster-admin when the application is deleted",
    heldBy: permit,
    play: deletes("PreDelete"),
  },
  {
    id: "bounds/post-delete-hook",
    threat: "A PostDelete hook binds the tenant to cluster-admin when the application is deleted",
    heldBy: permit,
    play: deletes("PostDelete"),
  },
  {
    id: "bounds/a-name-that-leads-upwards",
    threat: "An object called .. has the address of its namespace",
    heldBy: "no request is made for a name that is another address",
    play: deploys("bounds-upwards", {
      files: () => ({
        "app/a.yaml": configMap({
          name: "..",
          annotations: { "argocd.argoproj.io/sync-options": "Validate=false,Replace=true" },
        }),
      }),
      ends: { refused: /is no name of an object|RFC 1123/ },
    }),
  },
  {
    id: "bounds/a-destination-elsewhere",
    threat:
      "An application's own destination is a foreign namespace, to be made and marked by CreateNamespace",
    heldBy: "the project's destinations, asked before anything else",
    play: deploys("bounds-destination", {
      files: () => ({ "app/a.yaml": configMap({ name: "own" }) }),
      application: () => ({
        spec: { destination: { server: "https://kubernetes.default.svc", namespace: "rival-a" } },
      }),
      ends: { refused: /does not permit destination/ },
      absent: [inRival("own")],
    }),
  },
  {
    id: "bounds/forged-resources",
    threat: "A forged status.resources names foreign objects, to read, patch, delete and list events of them",
    heldBy: "the live tree says what an application owns, never its status",
    advisories: ["CVE-2022-24768"],
    play: forgedResources,
  },
  {
    id: "bounds/a-forged-operation",
    threat: "An operation that the Application brings along deploys a forbidden repository",
    heldBy: "sources of operations are judged as those of the spec, by the project as it is now",
    play: operates("bounds-forged-operation", false),
  },
  {
    id: "bounds/a-forged-running-operation",
    threat: "A status says that an operation with a forbidden repository is under way already",
    heldBy: "sources of operations are judged at every step, by the project as it is now",
    play: operates("bounds-forged-running", true),
  },
  {
    id: "bounds/manifests-of-the-callers",
    threat: "Who may only look compares manifests of his own with foreign objects, which shows them",
    heldBy: "of given manifests only what the application owns or its sources name is compared",
    play: ownManifests,
  },
  {
    id: "bounds/application-elsewhere",
    threat: "An application makes an Application of a foreign project in its own namespace",
    heldBy: "application.namespaces and the project's sourceNamespaces: others have neither effect nor API",
    advisories: ["CVE-2023-22736", "CVE-2024-31990"],
    play: applicationElsewhere,
  },
  {
    id: "bounds/links-that-run",
    threat: "Links of objects, of the Application and of its status are javascript:",
    heldBy: "only links that begin with http:// or https:// are passed on",
    advisories: ["CVE-2022-31035", "CVE-2024-28175"],
    play: links,
  },
  ...["/refs?appProject=team", "/apps?appProject=team&revision=main"].map(
    (path): Attack => ({
      id: `bounds/foreign-${path.slice(1, path.indexOf("?"))}`,
      threat: "An account looks into a foreign repository in the name of its own project",
      heldBy: sourceRule,
      play: asks({
        who: "alice",
        method: "GET",
        path: (at) => `/api/v1/repositories/${rivalApp(at)}${path}`,
        status: [400, 403],
        says: /does not permit repository|permission denied/,
      }),
    }),
  ),
  {
    id: "bounds/foreign-appdetails",
    threat: "An account asks for the details of a source in a foreign repository",
    heldBy: sourceRule,
    advisories: ["CVE-2022-24730"],
    play: asks({
      who: "alice",
      method: "POST",
      path: (at) => `/api/v1/repositories/${rivalApp(at)}/appdetails`,
      body: ({ gitUrl }) => ({
        source: { repoURL: `${gitUrl}/rival-app.git`, path: "." },
        appProject: "team",
      }),
      status: [400, 403],
      says: /does not permit repository|permission denied/,
    }),
  },
  ...[
    ["way-up", "team-x/../rival-app.git"],
    ["encoded-way-up", "team-x/%2e%2e/rival-app.git"],
    ["backslash-way-up", "team-x\\..\\rival-app.git"],
  ].map(
    ([name, path]): Attack => ({
      id: `bounds/a-repository-by-${name}`,
      threat: "An address begins as the project permits and leads elsewhere",
      heldBy: sourceRule,
      play: deploys(`bounds-${name}`, {
        source: ({ gitUrl }) => ({ repoURL: `${gitUrl}/${path}`, path: "." }),
        ends: { refused: /does not permit repository/ },
      }),
    }),
  ),
  {
    id: "bounds/a-chart-by-way-up",
    threat: "The name of a chart leads out of the repository that the project permits",
    heldBy: "names of charts are path segments, no ways up",
    play: deploys("bounds-chart", {
      source: ({ chartsUrl }) => ({
        repoURL: chartsUrl,
        chart: "../rival/secret",
        targetRevision: "1.0.0",
        path: "",
      }),
      ends: { refused: /is no name of a chart/ },
    }),
  },
  {
    id: "bounds/a-remote-base",
    threat: "A kustomization names a base in a foreign repository",
    heldBy: "bases elsewhere are asked of the project before kustomize is started",
    advisories: ["CVE-2022-24877"],
    play: deploys("bounds-base", {
      files: ({ gitUrl }) => ({
        "app/kustomization.yaml": `resources: ["${gitUrl}/rival-app.git//?ref=main"]\n`,
      }),
      ends: { refused: /does not permit repository/ },
    }),
  },
  {
    id: "bounds/a-value-file-by-url",
    threat:
      "A value file's URL is one that only the server reaches; what it answers is shown in the manifests",
    heldBy: "URLs of value files are asked of the project before helm is started",
    play: deploys("bounds-values", {
      files: () => ({
        "app/Chart.yaml": "apiVersion: v2\nname: own\nversion: 1.0.0\n",
        "app/templates/a.yaml": configMap({ name: "own" }),
      }),
      source: ({ url }) => ({ helm: { valueFiles: [`${url}/api/v1/settings`] } }),
      ends: { refused: /does not permit repository/ },
    }),
  },
  {
    id: "bounds/a-dependency-elsewhere",
    threat: "A chart depends on one of a registry that the project forbids",
    heldBy: "repositories of charts are asked of the project before anything is downloaded",
    play: deploys("bounds-dependency", {
      files: ({ url }) => ({
        "app/Chart.yaml": `apiVersion: v2\nname: own\nversion: 1.0.0\ndependencies: [{name: other, version: 1.0.0, repository: "${url}"}]\n`,
        "app/templates/a.yaml": configMap({ name: "own" }),
      }),
      ends: { refused: /does not permit repository/ },
    }),
  },
];
