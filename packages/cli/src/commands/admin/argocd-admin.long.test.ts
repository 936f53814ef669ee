/** `argocd admin` and `capstan admin` print the same of the same cluster and files, and read each other's backups. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { isRecord } from "@capstan/formats";
import type { KubeClient } from "@capstan/kube";
import { argoApiVersion, crds, type Manifest, parseYaml, parseYamlDocuments } from "@capstan/model";
import { eventually, lacking, realClock, realProgramPath } from "@capstan/testkit";
import { sampleOf } from "@capstan/testkit/whole-suite";
import { type ListeningCluster, startListeningCluster } from "@capstan/testkit/worlds";
import { type Run, runMain } from "../../test-main.ts";

const exec = promisify(execFile);
const signal = () => AbortSignal.timeout(60_000);
const namespace = "argocd";

/** Each is asked with both programs, in a folder of its own each. */
const calls = [
  "app generate-spec web --repo https://git.example/a.git --path web --dest-server https://a --dest-namespace x --project p --label a=b --annotations c=d --helm-set k=v --sync-policy auto --self-heal --set-finalizer",
  "app generate-spec web --repo https://charts.example --helm-chart web --revision 1.0.0 --dest-name a --project p -o json",
  "app generate-spec -f app.yaml --revision v2 --inline && cat app.yaml",
  "app generate-spec other -f app.yaml",
  "proj generate-spec web --src * --dest https://x,y --orphaned-resources --allow-cluster-resource /Namespace --signature-keys 4AEE18F83AFDEB23",
  "proj generate-spec -o json web",
  "proj generate-spec -f project.yaml --description new --inline && cat project.yaml",
  "repo generate-spec https://git.example/a.git --name x --username u --password p --enable-lfs --project team",
  "repo generate-spec https://git.example/a.git --bearer-token t --insecure-skip-server-verification -o json",
  "repo generate-spec https://charts.example --type helm --name x --enable-oci",
  "repo generate-spec https://charts.example --ssh-private-key-path key",
  "cluster generate-spec here --kubeconfig users.yaml",
  "cluster generate-spec there --kubeconfig users.yaml -o json --name prod --label a=b --annotation c=d --namespace x --namespace y --cluster-resources --shard 2 --bearer-token t",
  "cluster generate-spec here --in-cluster --exec-command aws --exec-command-args a --exec-command-env a=b --kubeconfig users.yaml",
  "cluster generate-spec none --kubeconfig users.yaml",
  "proj generate-allow-list role.yaml team",
  "proj generate-allow-list role.yaml team --out made.yaml && cat made.yaml",
  "cluster kubeconfig https://other.example made && cat made",
  "cluster kubeconfig https://none.example made",
  "cluster namespaces enable-namespaced-mode https://other* --max-namespace-count 3",
  "cluster namespaces enable-namespaced-mode https://other* --max-namespace-count 3 --dry-run=false",
  "cluster namespaces enable-namespaced-mode https://other*",
  "cluster namespaces disable-namespaced-mode *",
  "cluster namespaces disable-namespaced-mode * --dry-run=false",
  "proj update-role-policy * set action/* --role *deploy* --resource applications --scope * --permission allow --dry-run=false && roles",
  "proj update-role-policy * remove get --dry-run=false && roles",
  "proj update-role-policy * twist get",
  "settings validate --argocd-cm-path cm.yaml",
  "settings resource-overrides ignore-differences config.yaml --argocd-cm-path cm.yaml",
  "settings resource-overrides health config.yaml --argocd-cm-path cm.yaml",
  "settings resource-overrides health thing.yaml --argocd-cm-path cm.yaml",
  "settings resource-overrides health failing.yaml --argocd-cm-path cm.yaml",
  "settings resource-overrides list-actions config.yaml --argocd-cm-path cm.yaml",
  "settings resource-overrides list-actions thing.yaml --argocd-cm-path cm.yaml",
  "settings resource-overrides list-actions failing.yaml --argocd-cm-path cm.yaml",
  "settings resource-overrides run-action config.yaml make --argocd-cm-path cm.yaml",
  "settings resource-overrides run-action thing.yaml make --param size=3 --argocd-cm-path cm.yaml",
  "settings resource-overrides action thing.yaml make --param size --argocd-cm-path cm.yaml",
  "settings resource-overrides action thing.yaml none --argocd-cm-path cm.yaml",
  "settings resource-overrides action failing.yaml fail --argocd-cm-path cm.yaml",
  "initial-password",
  "export",
  ...[
    "trigger get",
    "trigger get -o name",
    "trigger get -o json",
    "trigger get on-synced -o yaml",
    "trigger run on-synced shop.yaml",
    "trigger run on-synced web",
    "template get",
    "template get said -o json",
    "template get said -o yaml",
    "template notify said shop.yaml",
    "template notify said web",
  ].map((call) => `notifications ${call} --config-map told.yaml --secret :empty`),
];

const kubeconfig = `apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: c, user: u}}, {name: there, context: {cluster: c, user: w}}]
clusters: [{name: c, cluster: {server: "https://127.0.0.1:6443", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: abc}}, {name: w, user: {username: u, password: p}}]
`;

const files: Readonly<Record<string, string>> = {
  "users.yaml": kubeconfig,
  "app.yaml":
    "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: q, labels: {a: b}}\nspec: {project: default, destination: {name: in-cluster}, source: {repoURL: https://a/b, path: x}}\n",
  "project.yaml":
    "apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {name: q, labels: {a: b}}\nspec: {description: old}\n",
  "role.yaml":
    "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: r}\nrules:\n- {apiGroups: [apps], resources: [deployments, statefulsets], verbs: [create]}\n- {apiGroups: [''], resources: [secrets], verbs: [get]}\n- {apiGroups: [''], resources: [configmaps], verbs: [create, get]}\n",
  "cm.yaml":
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm}\ndata:\n  accounts.alice: login\n  kustomize.buildOptions: --enable-helm\n  resource.customizations.ignoreDifferences.apps_Deployment: 'jsonPointers: [/spec/replicas]'\n  resource.customizations.health.example.com_Thing: 'return {status = \"Degraded\", message = obj.metadata.name}'\n" +
    "  resource.customizations.health.example.com_Failing: error('no health')\n" +
    "  resource.customizations.actions.example.com_Failing: |\n    discovery.lua: error('no actions')\n    definitions:\n    - name: fail\n      action.lua: error('no action')\n" +
    "  resource.customizations.actions.example.com_Thing: |\n    discovery.lua: 'return {make = {}, again = {disabled = true}}'\n    definitions:\n    - name: make\n      action.lua: |\n        local made = {apiVersion = 'v1', kind = 'ConfigMap', metadata = {name = obj.metadata.name}, data = {size = actionParams.size}}\n        return {{operation = 'create', resource = made}}\n",
  "thing.yaml": "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: one}\n",
  "failing.yaml": "apiVersion: example.com/v1\nkind: Failing\nmetadata: {name: one}\n",
  "config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n",
  key: "not a key\n",
  "shop.yaml":
    "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: shop, namespace: argocd}\nspec: {project: default}\nstatus: {sync: {status: Synced}}\n",
  "told.yaml":
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-notifications-cm}\ndata:\n  context: 'word: said'\n  trigger.on-synced: |\n    - {when: \"app.status?.sync.status == 'Synced'\", send: [said, other], oncePer: app.metadata.name, description: d}\n    - {when: 'true', send: [said]}\n" +
    "  trigger.other: '[]'\n  template.said: |\n    message: |\n      {{.app.metadata.name | upper}} is {{.context.word}}\n      to {{.recipient}} by {{.serviceType}}\n",
};

const application = (name: string, server: string, into: string): Manifest => ({
  apiVersion: argoApiVersion,
  kind: "Application",
  metadata: { name, namespace },
  spec: {
    project: "default",
    source: { repoURL: "https://git.example/apps", path: name },
    destination: { server, namespace: into },
  },
});

const secret = (name: string, type: string, texts: Readonly<Record<string, string>>): Manifest => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: {
    name,
    namespace,
    // Which argocd adds to whatever it changes.
    annotations: { "managed-by": "argocd.argoproj.io" },
    labels: {
      ...(type === "" ? {} : { "argocd.argoproj.io/secret-type": type }),
      "app.kubernetes.io/part-of": "argocd",
    },
  },
  data: Object.fromEntries(
    Object.entries(texts).map(([field, text]) => [field, Buffer.from(text).toString("base64")]),
  ),
});

const other = "https://other.example";
const objects: readonly Manifest[] = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
  ...[
    "argocd-cm",
    "argocd-rbac-cm",
    "argocd-ssh-known-hosts-cm",
    "argocd-tls-certs-cm",
    "argocd-cmd-params-cm",
  ].map((name) => ({
    ...{ apiVersion: "v1", kind: "ConfigMap", data: {} },
    metadata: { name, namespace, labels: { "app.kubernetes.io/part-of": "argocd" } },
  })),
  secret("argocd-secret", "", { "server.secretkey": "key" }),
  secret("argocd-initial-admin-secret", "", { password: "first word" }),
  secret("repo-a", "repository", { url: "https://git.example/apps", type: "git" }),
  secret("cluster-other", "cluster", {
    server: other,
    name: "other",
    config: JSON.stringify({ bearerToken: "token", tlsClientConfig: { insecure: true } }),
  }),
  {
    apiVersion: argoApiVersion,
    kind: "AppProject",
    metadata: { name: "default", namespace },
    spec: {
      sourceRepos: ["*"],
      roles: [
        { name: "deployer", policies: ["p, proj:default:deployer, applications, get, default/*, allow"] },
        { name: "reader", policies: ["p, proj:default:reader, applications, get, default/*, allow"] },
      ],
    },
  },
  application("web", "https://kubernetes.default.svc", "web"),
  application("shop", other, "shop"),
  application("store", other, "shop"),
];

interface Side {
  readonly name: string;
  readonly folder: string;
  readonly cluster: ListeningCluster;
  run(argv: readonly string[], input?: string): Promise<Run>;
}

describe("what argocd admin does", { skip: lacking("argocd") }, () => {
  let home: string;
  let real: Side;
  let ours: Side;
  const closing = new AsyncDisposableStack();
  before(async () => {
    home = await mkdtemp(join(tmpdir(), "capstan-admin-"));
    closing.defer(() => rm(home, { recursive: true, force: true }));
    const open = async (name: string): Promise<Omit<Side, "run">> => {
      const folder = join(home, name);
      await mkdir(folder);
      for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
      const cluster = closing.use(await startListeningCluster());
      await writeFile(join(folder, "kubeconfig"), cluster.kubeconfig);
      await fill(cluster.kube);
      return { name, folder, cluster };
    };
    const sides = [await open("real"), await open("ours")] as const;
    real = { ...sides[0], run: (argv, input) => argocd(sides[0].folder, argv, input) };
    ours = { ...sides[1], run: (argv, input) => capstan(sides[1].folder, argv, input) };
  });
  after(() => closing.disposeAsync());

  const said = async (side: Side, call: string): Promise<unknown> => {
    const [command = "", then] = call.split(" && ");
    const { code, out } = await side.run(command.split(" "));
    const file = then?.startsWith("cat ") ? await readFile(join(side.folder, then.slice(4)), "utf8") : "";
    const roles = then === "roles" ? await rolesIn(side.cluster.kube) : [];
    return { code, roles, out: neutral(code === 0 && then !== "roles" ? out + file : "") };
  };
  for (const call of sampleOf(calls))
    test(call, async () => {
      assert.deepEqual(await said(ours, call), await said(real, call));
    });

  test("cluster namespaces, which the real one tells in any order", async () => {
    const rows = async (side: Side) => {
      const { code, out } = await side.run(["cluster", "namespaces"]);
      return { code, out: [neutral(code === 0 ? out : "")].flat().sort() };
    };
    assert.deepEqual(await rows(ours), await rows(real));
  });

  test("a backup of the one is brought back by the other", async () => {
    const [theirs, own] = [await real.run(["export"]), await ours.run(["export"])];
    const unchanged =
      /^import process started argocd\nImport process completed successfully in namespace argocd( at .*)?\n$/;
    for (const [side, backup] of [
      [ours, theirs],
      [real, own],
    ] as const) {
      await side.cluster.kube.delete(
        { apiVersion: argoApiVersion, kind: "Application", namespace, name: "web" },
        { signal: signal() },
      );
      const brought = await side.run(["import", "-"], backup.out);
      assert.match(brought.out, /Application web in namespace argocd created\n/, brought.err);
      assert.match((await side.run(["import", "-"], backup.out)).out, unchanged);
      assert.deepEqual(neutral((await side.run(["export"])).out), neutral(backup.out));
    }
  });
});

async function fill(kube: KubeClient): Promise<void> {
  const applied = (object: Manifest) =>
    kube.apply(object, { fieldManager: "test", force: true, signal: signal() });
  await Promise.all(crds().map(applied));
  // The cluster serves a new kind some time after its CRD is there.
  await eventually(
    async () => {
      const served = (await kube.discovery.refresh(signal())).map(({ kind }) => kind);
      return (
        ["AppProject", "Application", "ApplicationSet"].every((kind) => served.includes(kind)) || undefined
      );
    },
    { signal: signal(), describe: () => "the kinds are not served" },
  );
  for (const object of objects) await applied(object);
}

async function rolesIn(kube: KubeClient): Promise<unknown> {
  const ref = { apiVersion: argoApiVersion, kind: "AppProject", namespace, name: "default" };
  const found = await kube.get(ref, signal());
  return isRecord(found?.spec) ? found.spec.roles : undefined;
}

const place = (folder: string, argv: readonly string[]): string[] =>
  argv.some((word) => word === "--kubeconfig" || word === "generate-spec" || word.endsWith("-path"))
    ? [...argv]
    : [...argv, "--kubeconfig", join(folder, "kubeconfig"), "-n", namespace];

async function capstan(folder: string, argv: readonly string[], input = ""): Promise<Run> {
  const from = process.cwd();
  process.chdir(folder);
  try {
    return await runMain(["admin", ...place(folder, argv)], { home: folder, clock: realClock, input });
  } finally {
    process.chdir(from);
  }
}

async function argocd(folder: string, argv: readonly string[], input = ""): Promise<Run> {
  const running = exec(realProgramPath("argocd"), ["admin", ...place(folder, argv)], {
    cwd: folder,
    env: { HOME: folder, PATH: process.env.PATH },
    timeout: 60_000,
  });
  running.child.stdin?.end(input);
  try {
    const { stdout, stderr } = await running;
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const failed = error instanceof Error && "code" in error && "stdout" in error ? error : undefined;
    if (!failed || typeof failed.code !== "number") throw error;
    return { code: failed.code, out: String(failed.stdout), err: failed.message };
  }
}

/** Whole documents by their values; tables and sentences as they are, without a program's log between them. */
function neutral(text: string): unknown {
  if (!/^(apiVersion: |\{)/.test(text))
    return text
      .replaceAll("argocd account", "capstan account")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith('{"level"'))
      .map((line) => line.trimEnd());
  if (text.startsWith("{")) return bare(JSON.parse(text));
  return parseYamlDocuments(text, { file: "output" })
    .flatMap(({ value }) => (value === null ? [] : [bare(value)]))
    .sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1));
}

/** Without who wrote which field, and with JSON within JSON by its value. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([field, inner]) => !["managedFields", "status"].includes(field) && inner !== null)
      .map(([field, inner]) => [
        field,
        field === "config" && typeof inner === "string" && inner.startsWith("{")
          ? parseYaml(inner, { file: field })
          : bare(inner),
      ]),
  );
}
