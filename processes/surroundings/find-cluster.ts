import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { UsageError } from "@capstan/cli/record";

type Env = Readonly<Record<string, string | undefined>>;

const ofPod = "/var/run/secrets/kubernetes.io/serviceaccount";

export const clusterFlag = {
  kind: "string",
  value: "FILE",
  help: "The cluster that holds Applications, projects and settings (default: in a Pod its own cluster, else KUBECONFIG or ~/.kube/config)",
} as const;

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
