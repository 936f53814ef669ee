import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isRecord, parseJson } from "@capstan/formats";
import { type ClusterConfig, isAlreadyExists, type KubeClient, openKubeconfig } from "@capstan/kube";
import { writeWhole } from "../surroundings/data-folder.ts";
import type { SystemInput } from "./system-input.ts";

type Input = Pick<SystemInput, "options" | "clock" | "log" | "signal">;

/** Whose rights plugins have: the account of Argo CD's repo-server, so that its RoleBindings carry over. */
const accountName = "argocd-repo-server";
const lifetimeSeconds = 24 * 3600;
const retryMs = 60_000;

export interface PluginAccount extends AsyncDisposable {
  /** Path of a kubeconfig with a token of the account, which is renewed. */
  kubeconfig(signal: AbortSignal): Promise<string>;
}

interface Needs {
  kube: KubeClient;
  kubeconfig: string;
}

/** Plugins and their commands reach the cluster as a ServiceAccount that may do nothing unless a RoleBinding says so. */
export function pluginAccount(input: Input, needs: Needs): PluginAccount {
  const file = join(input.options.dataDir, "plugins", "kubeconfig");
  const stop = new AbortController();
  let renewing: Promise<void> | undefined;
  let isWritten = false;
  return {
    async kubeconfig(signal) {
      if (isWritten) return file;
      const either = AbortSignal.any([signal, stop.signal]);
      try {
        await renew({ ...input, signal: either }, needs, file);
        isWritten = true;
      } catch (error) {
        signal.throwIfAborted();
        input.log.warn({ error }, "plugins have no access to the cluster");
      }
      renewing ??= keepRenewing({ ...input, signal: stop.signal }, needs, { file, soon: !isWritten });
      return file;
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("stopped"));
      await renewing;
    },
  };
}

async function keepRenewing(
  input: Input,
  needs: Needs,
  { file, soon }: { file: string; soon: boolean },
): Promise<void> {
  const { clock, log, signal } = input;
  let waitMs = soon ? retryMs : (lifetimeSeconds / 2) * 1000;
  while (!signal.aborted) {
    try {
      await clock.sleep(waitMs, signal);
      await renew(input, needs, file);
      waitMs = (lifetimeSeconds / 2) * 1000;
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ error }, "the token of plugins cannot be renewed");
      waitMs = retryMs;
    }
  }
}

async function renew(
  { signal, options: { namespace } }: Pick<Input, "options" | "signal">,
  { kube, kubeconfig }: Needs,
  file: string,
): Promise<void> {
  const account = {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: accountName, namespace },
  };
  await kube.create(account, { fieldManager: "capstan", signal }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
  const { body } = await kube.request({
    method: "POST",
    url: `/api/v1/namespaces/${namespace}/serviceaccounts/${accountName}/token`,
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds: lifetimeSeconds },
    }),
    signal,
  });
  const answer: unknown = typeof body === "string" ? parseJson(body) : undefined;
  const token = isRecord(answer) && isRecord(answer.status) ? answer.status.token : undefined;
  if (typeof token !== "string") throw new Error("the cluster gives no token to its ServiceAccounts");
  const { config } = await openKubeconfig(kubeconfig);
  const caData = config.caData ?? (config.caFile && (await readFile(config.caFile, "utf8")));
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const text = JSON.stringify(kubeconfigOf({ ...config, ...(caData ? { caData } : {}) }, token, namespace));
  // The users of plugins' commands read it where it is shown to them; the folder is closed to all others.
  await writeWhole(file, text, 0o644);
}

function kubeconfigOf(
  { server, caData, insecure, serverName, proxyUrl }: ClusterConfig,
  token: string,
  namespace: string,
) {
  const cluster = {
    server,
    ...(caData ? { "certificate-authority-data": Buffer.from(caData).toString("base64") } : {}),
    ...(insecure ? { "insecure-skip-tls-verify": true } : {}),
    ...(serverName ? { "tls-server-name": serverName } : {}),
    ...(proxyUrl ? { "proxy-url": proxyUrl } : {}),
  };
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "plugins",
    clusters: [{ name: "plugins", cluster }],
    users: [{ name: "plugins", user: { token } }],
    contexts: [{ name: "plugins", context: { cluster: "plugins", user: "plugins", namespace } }],
  };
}
