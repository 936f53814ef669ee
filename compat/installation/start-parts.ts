import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isRecord } from "@capstan/formats";
import { freePorts, startProcess, type TestProcess, untilServing } from "@capstan/testkit";
import type { InstallWorld } from "./tools.ts";

const program = fileURLToPath(new URL("../../bin/capstan.js", import.meta.url));
/** In the order in which they need each other. */
export const parts = ["repo-server", "server", "controller", "application-set", "notifications"] as const;
type PartName = (typeof parts)[number];

export interface StartedParts extends AsyncDisposable {
  /** Of the API. */
  readonly url: string;
  /** Of the API of each server. */
  readonly urls: readonly string[];
  readonly processes: Readonly<Record<PartName, readonly TestProcess[]>>;
}

export interface PartsToStart {
  readonly world: InstallWorld;
  readonly namespace: string;
  /** Folder whose repositories applications may name. */
  readonly allowFolder: string;
  /** Folder that is the image's file system; without one the programs are this repository's. */
  readonly root?: string;
  /** How many of a part; one of each that is not named. */
  readonly counts?: Readonly<Partial<Record<PartName, number>>>;
}

interface Container {
  readonly args: string[];
  readonly account: string;
}

/** All that the processes of a part have printed. */
export const saidBy = ({ processes }: StartedParts, part: PartName): string =>
  processes[part].map((one) => one.output()).join("\n");

/** Ports of one process. */
interface Ports {
  readonly metrics: number;
  /** That it is asked at, where it is. */
  readonly asked: number;
}

/**
 * Every Deployment's container as processes: its own words, the token of its own ServiceAccount where a Pod has it, its
 * own /data and /tmp. Ports are other ones, since all are on one machine.
 */
export async function startParts(asked: PartsToStart): Promise<StartedParts> {
  await using opened = new AsyncDisposableStack();
  const replicas = parts.flatMap((part) => Array.from({ length: asked.counts?.[part] ?? 1 }, () => part));
  const free = await freePorts(2 * replicas.length);
  const laid = replicas.map((part, index) => ({
    part,
    name: `${part}-${index}`,
    ports: { asked: free[2 * index] ?? 0, metrics: free[2 * index + 1] ?? 0 },
  }));
  const of = (part: PartName) => laid.filter((one) => one.part === part);
  const repoServers = of("repo-server").map(({ ports }) => `127.0.0.1:${ports.asked}`);
  const started = new Map<string, TestProcess>();
  for (const one of laid) started.set(one.name, opened.use(await startPart(asked, { ...one, repoServers })));
  const closing = opened.move();
  const processesOf = (part: PartName) => of(part).flatMap(({ name }) => started.get(name) ?? []);
  const urls = of("server").map(({ ports }) => `http://127.0.0.1:${ports.asked}`);
  return {
    url: urls[0] ?? "",
    urls,
    processes: {
      "repo-server": processesOf("repo-server"),
      server: processesOf("server"),
      controller: processesOf("controller"),
      "application-set": processesOf("application-set"),
      notifications: processesOf("notifications"),
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

interface PartToStart {
  readonly part: PartName;
  /** As a Pod's. */
  readonly name: string;
  readonly ports: Ports;
  readonly repoServers: readonly string[];
}

async function startPart(
  asked: PartsToStart,
  { part, name, ports, repoServers }: PartToStart,
): Promise<TestProcess> {
  await using opened = new AsyncDisposableStack();
  const { args, account } = await containerOf(asked, part);
  const folder = await layOutPod(asked, name, account);
  const words = args
    .map((word) => word.replaceAll("$(ARGOCD_NAMESPACE)", asked.namespace))
    // What stands in front of these sends nobody there any more.
    .filter((word) => !word.startsWith("--shutdown-delay-seconds="))
    .map((word) => word.replace(/^--metrics-port=.*/, `--metrics-port=${ports.metrics}`))
    .map((word) => word.replace(/^--repo-server=.*/, `--repo-server=${repoServers.join(",")}`))
    .map((word) => word.replace(/^--port=.*/, `--port=${ports.asked}`));
  if (part === "repo-server") words.push(`--allow-folder=${asked.allowFolder}`);
  const called = asked.root
    ? words
    : words.map((word) => word.replace(/=(?=\/(?:data|token)\b)/, `=${folder}`));
  const env = podEnv(asked, folder);
  const one = opened.use(startProcess("bwrap", [...podView(asked, folder), ...called], { env }));
  await untilServing(name, one, async () => {
    const options = { redirect: "manual", signal: AbortSignal.timeout(5_000) } as const;
    const answer = await fetch(`http://127.0.0.1:${ports.metrics}/readyz`, options).catch(() => undefined);
    await answer?.body?.cancel();
    return answer?.ok || undefined;
  });
  opened.move();
  return one;
}

async function containerOf({ world, namespace }: PartsToStart, part: PartName): Promise<Container> {
  const words = ["get", "deployments", "-n", namespace, "-l", `app.kubernetes.io/name=capstan-${part}`];
  const { items } = JSON.parse(await world.kubectl(...words, "-o", "json"));
  const pod: unknown = items[0]?.spec?.template?.spec;
  if (!isRecord(pod) || !Array.isArray(pod.containers)) throw new Error(`no Deployment of ${part}`);
  return { args: pod.containers[0].args, account: String(pod.serviceAccountName) };
}

/** What the kubelet would mount. */
async function layOutPod({ world, namespace }: PartsToStart, part: string, account: string): Promise<string> {
  const folder = join(world.folder, "pods", part);
  for (const one of ["data", "account", "token"]) await mkdir(join(folder, one), { recursive: true });
  const token = await world.kubectl("create", "token", account, "-n", namespace, "--duration=1h");
  await writeFile(join(folder, "account", "token"), token.trim());
  await writeFile(join(folder, "account", "namespace"), namespace);
  await writeFile(join(folder, "account", "ca.crt"), await world.authority());
  const shared = ["get", "secrets", "-n", namespace, "-l", "app.kubernetes.io/name=capstan-repo-server"];
  const data = await world.kubectl(...shared, "-o", "jsonpath={.items[0].data.token}");
  await writeFile(join(folder, "token", "token"), Buffer.from(data, "base64"));
  return folder;
}

/** The image's file system, or this machine's, in which the Pod's folders lie where they are. */
function podView({ root, allowFolder }: PartsToStart, folder: string): string[] {
  const account = ["--ro-bind", join(folder, "account"), "/run/secrets/kubernetes.io/serviceaccount"];
  const end = ["--die-with-parent", "--"];
  if (root === undefined)
    return [...["--dev-bind", "/", "/", "--tmpfs", "/run"], ...account, ...end, process.execPath, program];
  const system = ["--ro-bind", root, "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/run", ...account];
  const own = ["--tmpfs", "/tmp", "--bind", join(folder, "data"), "/data"];
  const mounted = ["--ro-bind", join(folder, "token"), "/token", "--ro-bind", allowFolder, allowFolder];
  return [...system, ...own, ...mounted, ...end, "/opt/capstan/capstan"];
}

function podEnv({ world, namespace, root }: PartsToStart, folder: string): Record<string, string> {
  const { hostname, port } = new URL(world.cluster.url);
  return {
    PATH: root ? "/usr/local/bin:/usr/bin:/bin" : (process.env.PATH ?? ""),
    HOME: root ? "/data" : join(folder, "data"),
    ARGOCD_NAMESPACE: namespace,
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
  };
}
