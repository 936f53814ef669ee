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
  readonly processes: Readonly<Record<PartName, TestProcess>>;
}

export interface PartsToStart {
  readonly world: InstallWorld;
  readonly namespace: string;
  /** Folder whose repositories applications may name. */
  readonly allowFolder: string;
  /** Folder that is the image's file system; without one the programs are this repository's. */
  readonly root?: string;
}

interface Container {
  readonly args: string[];
  readonly account: string;
}

/**
 * Every Deployment's container as a process: its own words, the token of its own ServiceAccount where a Pod has it, its
 * own /data and /tmp. Ports are other ones, since all are on one machine.
 */
export async function startParts(asked: PartsToStart): Promise<StartedParts> {
  await using opened = new AsyncDisposableStack();
  const ports = await freePorts(2 + parts.length);
  const [apiPort = 0, repoPort = 0] = ports;
  const started: Partial<Record<PartName, TestProcess>> = {};
  for (const [index, part] of parts.entries()) {
    const metricsPort = ports[index + 2] ?? 0;
    const { args, account } = await containerOf(asked, part);
    const folder = await layOutPod(asked, part, account);
    const words = args
      .map((word) => word.replaceAll("$(ARGOCD_NAMESPACE)", asked.namespace))
      .map((word) => word.replace(/^--metrics-port=.*/, `--metrics-port=${metricsPort}`))
      .map((word) => word.replace(/^--repo-server=.*/, `--repo-server=127.0.0.1:${repoPort}`))
      .map((word) => word.replace(/^--port=.*/, `--port=${part === "server" ? apiPort : repoPort}`));
    if (part === "repo-server") words.push(`--allow-folder=${asked.allowFolder}`);
    const called = asked.root
      ? words
      : words.map((word) => word.replace(/=(?=\/(?:data|token)\b)/, `=${folder}`));
    const env = podEnv(asked, folder);
    const one = opened.use(startProcess("bwrap", [...podView(asked, folder), ...called], { env }));
    started[part] = one;
    const probed =
      part === "server" ? `http://127.0.0.1:${apiPort}/healthz` : `http://127.0.0.1:${metricsPort}/readyz`;
    await untilServing(part, one, async () => {
      const answer = await fetch(probed, { redirect: "manual", signal: AbortSignal.timeout(5_000) }).catch(
        () => undefined,
      );
      await answer?.body?.cancel();
      return answer?.ok || undefined;
    });
  }
  const closing = opened.move();
  return {
    url: `http://127.0.0.1:${apiPort}`,
    processes: started as Record<PartName, TestProcess>,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
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
