import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isRecord } from "@capstan/formats";
import { HostCalls } from "@capstan/git-hosts";
import { createControlState, type LiveState } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import { createGitRepository, eventually, realClock } from "@capstan/testkit";
import { openSmallWorld, type SmallWorld } from "@capstan/testkit/worlds";
import type { RepoServer } from "@capstan/wire";
import { Registry } from "prom-client";
import {
  type ApplicationSetController,
  startApplicationSetController,
} from "./application-set-controller.ts";

const apiVersion = "argoproj.io/v1alpha1";
const namespace = "argocd";
const limit = () => AbortSignal.timeout(60_000);

let world: SmallWorld;
let live: LiveState;
/** While it is there, what is asked of a repository waits for it. */
let gate: (PromiseWithResolvers<void> & { asked?: PromiseWithResolvers<void> }) | undefined;
let controller: ApplicationSetController;
let metrics = new Registry();

before(async () => {
  world = await openSmallWorld();
  await world.stopController();
  const quiet = { info: () => undefined, warn: () => undefined };
  live = createControlState({ client: world.kube, clock: realClock, log: quiet });
  await live.ready(limit());
  controller = start();
});
after(async () => {
  await controller[Symbol.asyncDispose]();
  await live[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

function start(): ApplicationSetController {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const { kube, settings } = world;
  const repo: RepoServer = {
    ...world.repo,
    readGitContent: async (request, signal) => {
      gate?.asked?.resolve();
      await gate?.promise;
      return world.repo.readGitContent(request, signal);
    },
  };
  const hosts = new HostCalls(realClock);
  const { scripts } = world;
  metrics = new Registry();
  const clock = realClock;
  return startApplicationSetController({
    ...{ kube, repo, hosts, scripts, settings, live, clock, log, metrics, namespace },
  });
}

interface Sketch {
  elements?: readonly Record<string, unknown>[];
  template?: Record<string, unknown>;
  metadata?: Record<string, unknown>;
  [field: string]: unknown;
}

function sketchSet(name: string, { elements = [], template = {}, metadata, ...spec }: Sketch): Manifest {
  return {
    apiVersion,
    kind: "ApplicationSet",
    metadata: { name, namespace, ...metadata },
    spec: {
      generators: [{ list: { elements } }],
      template: {
        metadata: { name: "{{name}}", labels: { made: "{{name}}" } },
        spec: {
          project: "default",
          source: { repoURL: "https://git.example/x", path: "{{name}}", targetRevision: "main" },
          destination: { name: "in-cluster", namespace: "{{name}}" },
        },
        ...template,
      },
      ...spec,
    },
  };
}

const ref = (name: string, kind = "ApplicationSet") => ({ apiVersion, kind, namespace, name });
const create = (object: Manifest) => world.kube.create(object, { signal: limit() });
const change = (name: string, body: object, kind?: string) =>
  world.kube.patch(ref(name, kind), { type: "merge", body }, { signal: limit() });
const read = (name: string) => world.kube.get(ref(name, "Application"), limit());

async function namesOf(prefix: string): Promise<string[]> {
  const { items } = await world.kube.list({ apiVersion, kind: "Application", namespace }, limit());
  return items
    .map(({ metadata }) => metadata.name ?? "")
    .filter((name) => name.startsWith(prefix))
    .sort();
}

async function conditionsOf(name: string): Promise<string[]> {
  const set = await world.kube.get(ref(name), limit());
  const status = isRecord(set?.status) ? set.status : {};
  const all: unknown[] = Array.isArray(status.conditions) ? status.conditions : [];
  return all
    .filter(isRecord)
    .map(({ type, status: is, reason, message }) => `${type}=${is} ${reason}: ${message}`);
}

async function until<T>(read: () => Promise<T>, is: (value: T) => boolean): Promise<T> {
  let last: T | undefined;
  return eventually(
    async () => {
      last = await read();
      return is(last) ? last : undefined;
    },
    { signal: limit(), describe: () => `is still ${JSON.stringify(last, undefined, 1)}` },
  );
}

const untilNames = (prefix: string, wanted: readonly string[]) =>
  until(
    () => namesOf(prefix),
    (names) => names.join() === wanted.join(),
  );
const untilSaid = (name: string, text: RegExp) =>
  until(
    () => conditionsOf(name),
    (said) => said.some((one) => text.test(one)),
  );

test("each element becomes an Application that the set owns, and follows the set", async () => {
  await create(sketchSet("list", { elements: [{ name: "list-one" }, { name: "list-two" }] }));
  await untilNames("list-", ["list-one", "list-two"]);
  const said = await untilSaid("list", /^ResourcesUpToDate=True ApplicationSetUpToDate/);
  assert.ok(said.some((one) => one.startsWith("ParametersGenerated=True")));
  assert.ok(said.some((one) => one.startsWith("ErrorOccurred=False")));
  const made = await read("list-one");
  assert.equal(made?.metadata.ownerReferences?.[0]?.name, "list");
  assert.deepEqual(made?.metadata.finalizers, ["resources-finalizer.argocd.argoproj.io"]);
  assert.deepEqual(made?.metadata.labels, { made: "list-one" });
  assert.deepEqual(made?.spec, {
    project: "default",
    source: { repoURL: "https://git.example/x", path: "list-one", targetRevision: "main" },
    destination: { name: "in-cluster", namespace: "list-one" },
  });
  await change("list", {
    spec: { generators: [{ list: { elements: [{ name: "list-two" }, { name: "list-three" }] } }] },
  });
  await controller.idle();
  await until(
    async () => (await read("list-one"))?.metadata.deletionTimestamp,
    (at) => at !== undefined,
  );
  await until(
    () => namesOf("list-t"),
    (names) => names.join() === "list-three,list-two",
  );
  const set = await until(
    () => world.kube.get(ref("list"), limit()),
    (one) => {
      const status = isRecord(one?.status) ? one.status : {};
      return status.resourcesCount === 3;
    },
  );
  assert.ok(set);
});

test("what a person changes of a made Application is set right, and what the set preserves is not", async () => {
  await create(
    sketchSet("drift", {
      elements: [{ name: "drift-one" }],
      preservedFields: { annotations: ["keep"] },
      ignoreApplicationDifferences: [{ jsonPointers: ["/spec/source/targetRevision"] }],
    }),
  );
  await untilNames("drift-", ["drift-one"]);
  const annotations = { keep: "1", other: "1", "notified.notifications.argoproj.io": "1" };
  const spec = { source: { targetRevision: "mine", path: "elsewhere" } };
  await change("drift-one", { metadata: { annotations }, spec }, "Application");
  const mended = await until(
    () => read("drift-one"),
    (app) => {
      const source = isRecord(app?.spec) && isRecord(app.spec.source) ? app.spec.source : {};
      return source.path === "drift-one";
    },
  );
  assert.deepEqual(mended?.metadata.annotations, { keep: "1", "notified.notifications.argoproj.io": "1" });
  const source = isRecord(mended?.spec) && isRecord(mended.spec.source) ? mended.spec.source : {};
  assert.equal(source.targetRevision, "mine");
});

test("what no set takes away from an Application is no reason to look at the set when it comes and goes", async () => {
  await create(sketchSet("calm", { elements: [{ name: "calm-one" }] }));
  await untilNames("calm-", ["calm-one"]);
  await untilSaid("calm", /^ResourcesUpToDate=True/);
  await controller.idle();
  const looks = async () => {
    const metric = await metrics.getSingleMetric("workqueue_adds_total")?.get();
    return metric?.values[0]?.value ?? 0;
  };
  const untilSeen = (key: string, value: string | undefined) =>
    until(
      async () => live.get({ group: "argoproj.io", kind: "Application", namespace, name: "calm-one" }),
      (app) => app?.metadata.annotations?.[key] === value,
    );
  const before = await looks();
  for (const key of ["argocd.argoproj.io/refresh", "notified.notifications.argoproj.io"])
    for (const value of ["normal", undefined]) {
      const annotations = { [key]: value ?? null };
      await change("calm-one", { metadata: { annotations } }, "Application");
      await untilSeen(key, value);
    }
  assert.equal(await looks(), before);
  await change("calm-one", { metadata: { annotations: { other: "1" } } }, "Application");
  await untilSeen("other", "1");
  assert.ok((await looks()) > before);
});

test("a generator that fails, and a template that fails for one element, change and delete nothing", async () => {
  await create(sketchSet("fail", { elements: [{ name: "fail-one" }, { name: "fail-two" }] }));
  await untilNames("fail-", ["fail-one", "fail-two"]);
  await untilSaid("fail", /^ResourcesUpToDate=True/);
  await change("fail", {
    spec: { generators: [{ list: { elements: [{ name: "fail-one" }, { name: 1 }] } }] },
  });
  await untilSaid(
    "fail",
    /^ErrorOccurred=True ApplicationGenerationFromParamsError: .*elements\[1\]\.name is no text/,
  );
  await change("fail", { spec: { generators: [{ plugin: { configMapRef: { name: "x" } } }] } });
  await untilSaid("fail", /^ErrorOccurred=True .*plugin x: there is no ConfigMap "x" with baseUrl and token/);
  await change("fail", {
    spec: { generators: [{ list: { elements: [{ name: "fail-one" }, { name: "No Name" }] } }] },
  });
  await untilSaid(
    "fail",
    /^ErrorOccurred=True ApplicationValidationError: No Name \(spec\.generators\[0\], element 1\): its name is none/,
  );
  assert.deepEqual(await namesOf("fail-"), ["fail-one", "fail-two"]);
  assert.equal((await read("fail-two"))?.metadata.deletionTimestamp, undefined);
});

test("an Application that cannot be is told with its element, and the others are made", async () => {
  const elements = [{ name: "odd-one" }, { name: "odd-twin" }, { name: "odd-twin" }];
  await create(sketchSet("odd", { elements }));
  const said = await untilSaid(
    "odd",
    /^ErrorOccurred=True ApplicationValidationError: .*duplicate name: odd-twin/,
  );
  assert.ok(said.some((one) => one.includes("spec.generators[0], element 1; spec.generators[0], element 2")));
  await untilNames("odd-", ["odd-one"]);
  const spec = {
    destination: { name: "in-cluster" },
    source: { repoURL: "https://git.example/x", path: "." },
  };
  await create(
    sketchSet("lost", {
      elements: [{ name: "lost-one" }],
      template: { metadata: { name: "{{name}}" }, spec: { ...spec, project: "nowhere" } },
    }),
  );
  await untilSaid("lost", /references project nowhere which does not exist/);
  await create({
    apiVersion,
    kind: "AppProject",
    metadata: { name: "nowhere", namespace },
    spec: { destinations: [] },
  });
  await untilNames("lost-", ["lost-one"]);
});

test("an Application of another set or another project is left alone", async () => {
  await create({
    apiVersion,
    kind: "AppProject",
    metadata: { name: "other", namespace },
    spec: { destinations: [] },
  });
  const spec = {
    project: "other",
    source: { repoURL: "https://git.example/x", path: "." },
    destination: { name: "in-cluster" },
  };
  await create({ apiVersion, kind: "Application", metadata: { name: "taken-one", namespace }, spec });
  await create(sketchSet("taken", { elements: [{ name: "taken-one" }, { name: "taken-two" }] }));
  await untilSaid("taken", /taken-one .*is there already, of project other/);
  await create(sketchSet("thief", { elements: [{ name: "taken-two" }] }));
  await untilSaid("thief", /taken-two .*belongs to ApplicationSet taken/);
  assert.deepEqual((await read("taken-one"))?.spec, spec);
});

test("create-only neither changes nor deletes, and a set that goes lets its Applications go", async () => {
  const metadata = { finalizers: ["resources-finalizer.argocd.argoproj.io"] };
  const syncPolicy = { applicationsSync: "create-only", preserveResourcesOnDeletion: true };
  await create(sketchSet("only", { elements: [{ name: "only-one" }], syncPolicy, metadata }));
  await untilNames("only-", ["only-one"]);
  assert.equal((await read("only-one"))?.metadata.finalizers, undefined);
  await change("only", { spec: { generators: [{ list: { elements: [{ name: "only-two" }] } }] } });
  await untilNames("only-", ["only-one", "only-two"]);
  await world.kube.delete(ref("only"), { signal: limit() });
  await until(
    async () => ({ set: await world.kube.get(ref("only"), limit()) }),
    ({ set }) => set === undefined,
  );
  assert.equal((await read("only-one"))?.metadata.ownerReferences?.length ?? 0, 0);
});

test("a set that may delete nothing lets its Applications go whatever it still waits for, as for a deletion in the foreground", async () => {
  const metadata = { finalizers: ["example.com/held"] };
  const syncPolicy = { applicationsSync: "create-only", preserveResourcesOnDeletion: true };
  await create(sketchSet("held", { elements: [{ name: "held-one" }], syncPolicy, metadata }));
  await untilNames("held-", ["held-one"]);
  await world.kube.delete(ref("held"), { signal: limit() });
  await until(
    async () => (await read("held-one"))?.metadata.ownerReferences ?? [],
    (owners) => owners.length === 0,
  );
  await change("held", { metadata: { finalizers: null } });
  await until(
    async () => ({ set: await world.kube.get(ref("held"), limit()) }),
    ({ set }) => set === undefined,
  );
  assert.equal((await read("held-one"))?.metadata.deletionTimestamp, undefined);
});

test("a set that is deleted takes its Applications with it", async () => {
  await create(
    sketchSet("gone", {
      elements: [{ name: "gone-one" }],
      syncPolicy: { preserveResourcesOnDeletion: true },
    }),
  );
  await untilNames("gone-", ["gone-one"]);
  await world.kube.delete(ref("gone"), { signal: limit() });
  await untilNames("gone-", []);
});

test("Go templates, a patch of the template and a selector make what Argo CD makes", async () => {
  const generators = [
    {
      list: {
        elements: [
          { name: "Go One", replicas: 3 },
          { name: "Go Two", replicas: 1000000 },
        ],
      },
      selector: { matchExpressions: [{ key: "replicas", operator: "In", values: ["3"] }] },
    },
  ];
  const template = {
    metadata: {
      name: "{{ .name | normalize }}",
      annotations: { "{{ .name | lower | nospace }}": "{{ .replicas }}" },
    },
    spec: {
      project: "default",
      source: { repoURL: "https://git.example/x", path: "{{ slugify 4 .name }}" },
      destination: { name: "in-cluster", namespace: "x" },
    },
  };
  const templatePatch = `spec:
  project: elsewhere
  source:
    helm:
      parameters: {{ list (dict "name" "replicas" "value" (toString .replicas)) | toJson }}
  syncPolicy:
    automated: {}
`;
  await create(
    sketchSet("go", {
      goTemplate: true,
      goTemplateOptions: ["missingkey=error"],
      generators,
      template,
      templatePatch,
    }),
  );
  await untilNames("go-", ["go-one"]);
  const made = await read("go-one");
  assert.deepEqual(made?.metadata.annotations, { goone: "3" });
  assert.deepEqual(made?.spec, {
    project: "default",
    source: {
      repoURL: "https://git.example/x",
      path: "go",
      helm: { parameters: [{ name: "replicas", value: "3" }] },
    },
    destination: { name: "in-cluster", namespace: "x" },
    syncPolicy: { automated: {} },
  });
  await change("go", { spec: { template: { spec: { source: { path: "{{ .nothing }}" } } } } });
  await untilSaid("go", /^ErrorOccurred=True RenderTemplateParamsError: .*nothing/);
  await change("go", {
    spec: { templatePatch: "", template: { spec: { source: { path: "{{ range 1000000000 }}{{ end }}" } } } },
  });
  await untilSaid("go", /takes more than 200000 steps/);
});

test("a controller that starts anew writes nothing where all is as it should be", async () => {
  await controller.idle();
  await controller[Symbol.asyncDispose]();
  await create(sketchSet("anew", { elements: [{ name: "anew-one" }] }));
  controller = start();
  await untilSaid("anew", /^ResourcesUpToDate=True/);
  await controller.idle();
  await controller[Symbol.asyncDispose]();
  const before = world.requests.length;
  controller = start();
  await controller.idle();
  const writes = world.requests.slice(before).filter(({ method }) => method !== "GET");
  assert.deepEqual(
    writes.map(({ method, url }) => `${method} ${url}`),
    [],
  );
});

test("directories and files of a repository become Applications, and follow it when that is asked for", async () => {
  await using git = await createGitRepository();
  await git.commit({
    "apps/git-one/kustomization.yaml": "",
    "apps/git-two/kustomization.yaml": "",
    "apps/git-off/kustomization.yaml": "",
    ".hidden/git-no/x": "",
    "envs/prod/config.yaml": "cluster:\n  name: in-cluster\n  size: 3\n",
    "envs/dev/config.json": '[{"cluster":{"name":"in-cluster","size":"one"}}]',
  });
  const directories = [{ path: "apps/*" }, { path: "apps/git-off", exclude: true }, { path: ".hidden/*" }];
  const template = (name: string, label: string) => ({
    metadata: { name, labels: { made: label } },
    spec: {
      project: "default",
      source: { repoURL: git.url, path: "{{path}}", targetRevision: "main" },
      destination: { name: "in-cluster", namespace: "x" },
    },
  });
  const generators = [
    { git: { repoURL: git.url, revision: "main", directories, values: { at: "{{path[0]}}" } } },
  ];
  await create(sketchSet("git", { generators, template: template("{{path.basename}}", "{{values.at}}") }));
  await untilNames("git-", ["git-one", "git-two"]);
  assert.deepEqual((await read("git-one"))?.metadata.labels, { made: "apps" });
  const files = [{ path: "envs/**/config.*" }, { path: "envs/dev/*", exclude: false }];
  const matrix = {
    generators: [
      { list: { elements: [{ kind: "web" }] } },
      { git: { repoURL: git.url, revision: "main", files, pathParamPrefix: "at" } },
    ],
  };
  const named = template("mx-{{kind}}-{{at.path.basename}}", "{{cluster.size}}");
  await create(sketchSet("mx", { generators: [{ matrix }], template: named, goTemplate: false }));
  await untilNames("mx-", ["mx-web-dev", "mx-web-prod"]);
  assert.deepEqual((await read("mx-web-prod"))?.metadata.labels, { made: "3" });
  await git.commit({ "apps/git-three/kustomization.yaml": "" });
  await change("git", {
    metadata: { annotations: { "argocd.argoproj.io/application-set-refresh": "true" } },
  });
  await untilNames("git-", ["git-one", "git-three", "git-two"]);
  const asked = await world.kube.get(ref("git"), limit());
  assert.equal(asked?.metadata.annotations?.["argocd.argoproj.io/application-set-refresh"], undefined);
  await change("git", {
    spec: { generators: [{ git: { repoURL: git.url, revision: "gone", directories } }] },
  });
  await untilSaid("git", /^ErrorOccurred=True .*git .*gone/);
  assert.deepEqual(await namesOf("git-"), ["git-one", "git-three", "git-two"]);
});

test("clusters become Applications as their Secrets come and go, one for each or all in one", async () => {
  const label = { "argocd.argoproj.io/secret-type": "cluster" };
  const server = Buffer.from("https://kubernetes.default.svc").toString("base64");
  const secret = (name: string): Manifest => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace, labels: { ...label, team: name } },
    data: {
      name: Buffer.from(name).toString("base64"),
      server,
      config: Buffer.from("{}").toString("base64"),
    },
  });
  const template = (name: string, values: string) => ({
    metadata: { name },
    spec: {
      project: "default",
      source: { repoURL: "https://git.example/x", path: "x", helm: { values } },
      destination: { name: "cl-one", namespace: "x" },
      syncPolicy: { automated: {} },
    },
  });
  const flat = { clusters: { selector: { matchLabels: label }, flatList: true } };
  const listed = "clusters:\n{{- range .clusters }}\n  - name: {{ .name }}\n{{- end }}\n";
  await create(secret("cl-one"));
  await create(
    sketchSet("flat", { goTemplate: true, generators: [flat], template: template("flat-one", listed) }),
  );
  const each = { clusters: { selector: { matchLabels: { team: "cl-two" } }, values: { of: "{{name}}" } } };
  await create(
    sketchSet("each", { generators: [each], template: template("each-{{name}}", "{{values.of}}") }),
  );
  const valuesOf = async (name: string) => {
    const app = await read(name);
    const source = isRecord(app?.spec) && isRecord(app.spec.source) ? app.spec.source : {};
    return isRecord(source.helm) ? source.helm.values : undefined;
  };
  await until(
    () => valuesOf("flat-one"),
    (text) => text === "clusters:\n  - name: cl-one\n",
  );
  assert.deepEqual(await namesOf("each-"), []);
  await create(secret("cl-two"));
  await until(
    () => valuesOf("flat-one"),
    (text) => text === "clusters:\n  - name: cl-one\n  - name: cl-two\n",
  );
  await until(
    () => valuesOf("each-cl-two"),
    (text) => text === "cl-two",
  );
});

test("a cluster that comes while a set is being looked at is in what the set makes", async () => {
  const metadata = {
    name: "late-one",
    namespace,
    labels: { "argocd.argoproj.io/secret-type": "cluster", late: "yes" },
  };
  const data = { name: "bGF0ZS1vbmU=", server: "aHR0cHM6Ly9sYXRlLmV4YW1wbGU=", config: "e30=" };
  await using git = await createGitRepository({ "late/x": "1" });
  const generators = [
    {
      matrix: {
        generators: [
          { git: { repoURL: git.url, revision: "main", directories: [{ path: "late" }] } },
          { clusters: { selector: { matchLabels: { late: "yes" } } } },
        ],
      },
    },
  ];
  const asked = Promise.withResolvers<void>();
  gate = { ...Promise.withResolvers<void>(), asked };
  const source = { repoURL: "https://git.example/x", path: "." };
  const spec = { project: "default", source, destination: { name: "{{name}}" } };
  await create(sketchSet("late", { generators, template: { metadata: { name: "{{name}}" }, spec } }));
  await asked.promise;
  await create({ apiVersion: "v1", kind: "Secret", metadata, data });
  await until(
    async () => world.settings.current.clusters.map(({ name }) => name),
    (names) => names.includes("late-one"),
  );
  gate.resolve();
  gate = undefined;
  await untilNames("late-", ["late-one"]);
});
