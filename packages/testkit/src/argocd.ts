import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KubeClient } from "@capstan/kube";
import { crds, type Manifest } from "@capstan/model";
import { sketchProject } from "./applications.ts";
import { startProcess, type TestProcess, untilServing } from "./child-process.ts";
import { freePorts } from "./free-port.ts";
import { eventually } from "./real-clock.ts";
import { lacking, realProgram } from "./real-programs.ts";

/** The real Argo CD (controller, repo-server, API server and redis) working on a cluster. */
export interface RealArgoCD extends AsyncDisposable {
  /** Plain HTTP. */
  readonly url: string;
  /** With TLS, its certificate made by itself; only where callers log in. */
  readonly tlsUrl: string;
  /** Folder of plugin sockets. */
  readonly pluginSockets: string;
  readonly pids: Readonly<Record<string, number>>;
  /** HOST:PORT of its repo server, in plain text. */
  readonly repoServer: string;
  /** Where the application controller tells its metrics. */
  readonly controllerMetrics: string;
  output(part: string): string;
}

const parts = ["argocd-repo-server", "argocd-application-controller", "argocd-server"] as const;
/** Started only where it is asked for: nothing else needs it. */
const notifications = "argocd-notifications";
const applicationSets = "argocd-applicationset-controller";
const plainServer = "argocd-server";
const serverWithTls = "argocd-server with TLS";
const namespace = "argocd";
const startLimitMs = 100_000;
/** For a render, and a command of one: its own 60 and 90 s are over on a machine that has much else to do. */
const patienceSeconds = 300;

/** The reason to skip, or false. redis-server is Debian's. */
export function lackingArgoCD(): string | false {
  const missing = lacking(...parts);
  if (missing) return missing;
  return redisPath() ? false : "redis-server is not installed: apt-get install redis-server";
}

function redisPath(): string | undefined {
  const folders = (process.env.PATH ?? "").split(":");
  return folders.map((dir) => join(dir, "redis-server")).find((path) => existsSync(path));
}

/** Any cluster that listens: the real one or the embedded one as a process of its own. */
export interface ArgoCDCluster {
  kubeconfigFor(namespace: string): string;
  readonly kube: KubeClient;
}

interface ArgoCDOptions {
  /** Callers must log in. */
  hasLogin?: boolean;
  /** The controller of ApplicationSets too. */
  hasSets?: boolean;
  /** These programs alone; otherwise all but those of ApplicationSets and of notifications. */
  only?: readonly string[];
  /** HOST:PORT of a repo server that is there already, over TLS, in place of Argo CD's own. */
  repoServer?: string;
  /** Of the programs, beside what they need. */
  env?: Readonly<Record<string, string>>;
}

export async function startArgoCD(
  cluster: ArgoCDCluster,
  { hasLogin = false, hasSets = false, only, repoServer, env: further = {} }: ArgoCDOptions = {},
): Promise<RealArgoCD> {
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-argocd-"));
  opened.defer(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const pluginSockets = join(dir, "plugins");
  for (const one of ["plugins", "tls", "gpg", "tmp", "bin"]) await mkdir(join(dir, one));
  await linkRenderers(join(dir, "bin"));
  await installSettings(cluster);
  const ports = await freePorts(12);
  const kubeconfig = join(dir, "kubeconfig");
  await writeFile(kubeconfig, cluster.kubeconfigFor(namespace));
  const env = { ...environmentOf(dir, { kubeconfig, pluginSockets }), ...further };
  const started: Record<string, TestProcess> = {};
  const left = [
    notifications,
    ...(hasSets ? [] : [applicationSets]),
    ...(repoServer === undefined ? [] : ["argocd-repo-server"]),
  ];
  const url = `http://127.0.0.1:${ports[4]}`;
  const tlsUrl = `https://127.0.0.1:${ports[6]}`;
  for (const [name, program, flags] of programsOf(ports, hasLogin, repoServer)) {
    if (only ? !only.includes(name) : left.includes(name)) continue;
    // The first server makes the initial password; one that starts meanwhile finds it there, and ends.
    if (name === serverWithTls) await untilHealthy(plainServer, started[plainServer], url);
    const own = name === notifications ? { ...env, ARGOCD_BINARY_NAME: name } : env;
    started[name] = opened.use(startProcess(program, flags, { env: own }));
  }
  const output = (part: string): string => started[part]?.output() ?? "";
  await untilHealthy(plainServer, started[plainServer], url);
  await untilHealthy(serverWithTls, started[serverWithTls], tlsUrl);
  const pids = Object.fromEntries(Object.entries(started).map(([name, { pid }]) => [name, pid]));
  const closing = opened.move();
  const controllerMetrics = `http://127.0.0.1:${ports[3]}/metrics`;
  return {
    url,
    tlsUrl,
    controllerMetrics,
    pluginSockets,
    pids,
    repoServer: `127.0.0.1:${ports[1]}`,
    output,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function untilHealthy(name: string, server: TestProcess | undefined, url: string): Promise<void> {
  if (server)
    await untilServing(name, server, () => (url.startsWith("https:") ? answersTls(url) : answers(url)));
}

async function answers(url: string): Promise<true | undefined> {
  const answer = await fetch(`${url}/healthz`).catch(() => undefined);
  return answer?.ok || undefined;
}

/** The certificate is made by the server itself. */
function answersTls(url: string): Promise<true | undefined> {
  return new Promise((resolve) => {
    get(`${url}/healthz`, { rejectUnauthorized: false, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200 || undefined);
    }).on("error", () => resolve(undefined));
  });
}

const applicationSetFlags = (repo: number | undefined, ports: readonly number[]): string[] => [
  `--argocd-repo-server=127.0.0.1:${repo}`,
  "--repo-server-plaintext",
  ...["metrics-addr", "probe-addr", "webhook-addr"].map((flag, at) => `--${flag}=127.0.0.1:${ports[at]}`),
];

function programsOf(
  ports: readonly number[],
  hasLogin: boolean,
  repoServer: string | undefined,
): readonly (readonly [string, string, readonly string[]])[] {
  const [
    redis,
    repo,
    repoMetrics,
    controllerMetrics,
    server,
    serverMetrics,
    tls,
    tlsMetrics,
    notificationMetrics,
    ...ofSets
  ] = ports;
  const path = (name: string): string => {
    const found = realProgram(name);
    if ("absent" in found) throw new Error(found.absent);
    return found.path;
  };
  const callers = [
    `--redis=127.0.0.1:${redis}`,
    `--repo-server=${repoServer ?? `127.0.0.1:${repo}`}`,
    `--repo-server-timeout-seconds=${patienceSeconds}`,
    ...(repoServer === undefined ? ["--repo-server-plaintext"] : []),
  ];
  return [
    [
      "redis-server",
      redisPath() ?? "redis-server",
      ["--port", `${redis}`, "--save", "", "--bind", "127.0.0.1"],
    ],
    [
      "argocd-repo-server",
      path("argocd-repo-server"),
      [`--redis=127.0.0.1:${redis}`, `--port=${repo}`, `--metrics-port=${repoMetrics}`, "--disable-tls"],
    ],
    [
      "argocd-application-controller",
      path("argocd-application-controller"),
      [...callers, `--metrics-port=${controllerMetrics}`],
    ],
    [applicationSets, path(applicationSets), applicationSetFlags(repo, ofSets)],
    [
      "argocd-server",
      path("argocd-server"),
      [
        ...callers,
        `--port=${server}`,
        `--metrics-port=${serverMetrics}`,
        "--insecure",
        ...(hasLogin ? [] : ["--disable-auth"]),
      ],
    ],
    // The part is chosen by the name, or by the environment where the link of that name is not built.
    [
      notifications,
      path("argocd"),
      [
        `--argocd-repo-server=127.0.0.1:${repo}`,
        "--argocd-repo-server-plaintext",
        `--metrics-port=${notificationMetrics}`,
        "--loglevel=debug",
      ],
    ],
    ...(hasLogin
      ? [
          [
            serverWithTls,
            path("argocd-server"),
            [...callers, `--port=${tls}`, `--metrics-port=${tlsMetrics}`],
          ] as const,
        ]
      : []),
  ];
}

/** What Argo CD calls helm and kustomize: those of the test environment, where they are built. */
async function linkRenderers(folder: string): Promise<void> {
  for (const [link, ...names] of [
    ["helm", "helm3", "helm4"],
    ["kustomize", "kustomize"],
  ] as const) {
    const found = names.map(realProgram).find((one) => "path" in one);
    if (found) await symlink(found.path, join(folder, link));
  }
}

interface Places {
  kubeconfig: string;
  pluginSockets: string;
}

function environmentOf(dir: string, { kubeconfig, pluginSockets }: Places): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PATH: `${join(dir, "bin")}:${process.env.PATH ?? ""}`,
    KUBECONFIG: kubeconfig,
    ARGOCD_FAKE_IN_CLUSTER: "true",
    ARGOCD_GPG_ENABLED: "false",
    ARGOCD_TLS_DATA_PATH: join(dir, "tls"),
    ARGOCD_GNUPGHOME: join(dir, "gpg"),
    ARGOCD_EXEC_TIMEOUT: `${patienceSeconds}s`,
    ARGOCD_PLUGINSOCKFILEPATH: pluginSockets,
    TMPDIR: join(dir, "tmp"),
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "protocol.file.allow",
    GIT_CONFIG_VALUE_0: "always",
  };
}

async function installSettings({ kube }: ArgoCDCluster): Promise<void> {
  const signal = AbortSignal.timeout(startLimitMs);
  const labels = { "app.kubernetes.io/part-of": "argocd" };
  const settings: Manifest[] = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "argocd-cm", namespace, labels } },
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "argocd-rbac-cm", namespace, labels } },
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "argocd-secret", namespace, labels },
      stringData: { "server.secretkey": randomBytes(32).toString("base64") },
    },
  ];
  for (const crd of crds()) await kube.apply(crd, { fieldManager: "testkit", force: true, signal });
  for (const object of settings) await kube.apply(object, { fieldManager: "testkit", force: true, signal });
  await eventually(
    async () => {
      await kube.discovery.refresh(signal);
      return kube
        .apply(sketchProject("default"), { fieldManager: "testkit", force: true, signal })
        .catch(() => undefined);
    },
    { signal, describe: () => "the AppProject CRD is not served" },
  );
}
