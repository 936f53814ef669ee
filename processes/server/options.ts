import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { type Flags, type FlagValues, UsageError } from "@capstan/cli/record";
import { apiFlags, portFlag } from "../surroundings/api-options.ts";
import { readUpOptions, type UpOptions, upFlags } from "../up/options.ts";

export const serverFlags = {
  data: {
    kind: "string",
    value: "DIR",
    help: "Where repositories and charts are kept, all of which may be lost",
    byDefault: "~/.capstan/server",
    env: "CAPSTAN_SERVER_DATA",
  },
  port: { ...portFlag, help: "Port of the page and the API; 0 = any free one", byDefault: "8080" },
  address: {
    kind: "string",
    value: "ADDRESS",
    help: "Address to listen on",
    byDefault: "127.0.0.1",
    env: "ARGOCD_SERVER_LISTEN_ADDRESS",
  },
  kubeconfig: {
    kind: "string",
    value: "FILE",
    help: "The cluster that holds Applications, projects and settings (default: in a Pod its own cluster, else KUBECONFIG or ~/.kube/config)",
  },
  "plugin-sockets": upFlags["plugin-sockets"],
  "repo-server-memory-limit": upFlags["repo-server-memory-limit"],
  "allow-folder": {
    ...upFlags["allow-folder"],
    help: "Folder whose repositories applications may name as file://; repeatable (default: none)",
  },
  "secret-stores": upFlags["secret-stores"],
  ...apiFlags,
} as const satisfies Flags;

type Env = Readonly<Record<string, string | undefined>>;

const ofPod = "/var/run/secrets/kubernetes.io/serviceaccount";

/** What says how the cluster is reached: a file of somebody's, or the text for the cluster of this Pod. */
export type ClusterAccess = { readonly file: string } | { readonly text: string };

/** As client-go finds it (clientcmd ClientConfig, rest InClusterConfig); `pod`: folder of the Pod's account. */
export function findCluster(given: string | undefined, env: Env, pod: string = ofPod): ClusterAccess {
  if (given) return { file: resolve(given) };
  const listed = (env.KUBECONFIG ?? "").split(delimiter).filter((one) => one !== "");
  const file = listed.find((one) => existsSync(one));
  if (file !== undefined) return { file };
  if (listed.length > 0) throw new UsageError(`KUBECONFIG names ${listed.join(", ")}, which does not exist`);
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = "443" } = env;
  if (host && existsSync(join(pod, "token"))) return { text: ofOwnCluster({ host, port, pod }) };
  const usual = join(env.HOME ?? homedir(), ".kube", "config");
  if (existsSync(usual)) return { file: usual };
  throw new UsageError("no cluster is known: give --kubeconfig FILE, or run it in a Pod");
}

/** The files are named, not copied: the token in them is renewed. */
function ofOwnCluster({ host, port, pod }: { host: string; port: string; pod: string }): string {
  const server = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "own",
    clusters: [{ name: "own", cluster: { server, "certificate-authority": join(pod, "ca.crt") } }],
    users: [{ name: "own", user: { tokenFile: join(pod, "token") } }],
    contexts: [{ name: "own", context: { cluster: "own", user: "own" } }],
  });
}

/** Those of a system without loops on a cluster of its own. `kubeconfig`: file that reaches the cluster. */
export function readServerOptions(
  flags: FlagValues<typeof serverFlags>,
  { env, kubeconfig, dataDir }: { env: Env; kubeconfig: string; dataDir: string },
): UpOptions {
  const { address = "127.0.0.1", ...rest } = flags;
  const given = { ...rest, host: address, data: dataDir, kubeconfig, "no-controllers": true };
  return readUpOptions(given, env);
}

export function serverDataDir({ data }: FlagValues<typeof serverFlags>): string {
  return resolve(data ?? join(homedir(), ".capstan", "server"));
}
