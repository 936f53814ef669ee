import { readFile } from "node:fs/promises";
import { createKubeClient, httpTransport, readKubeconfig } from "@capstan/kube";
import { isRecord } from "@capstan/model";
import type { ReadSecret } from "@capstan/plugins";
import type { PluginAccount } from "./plugin-account.ts";
import { type SystemInput, userAgentOf } from "./system-input.ts";

/** Secrets of the cluster as the plugins' account may read them, which is what its RoleBindings say. */
export function accountSecrets(input: SystemInput, account: PluginAccount): ReadSecret {
  const { clock } = input;
  return async ({ namespace, name }, signal) => {
    const kubeconfig = await readFile(await account.kubeconfig(signal), "utf8").catch(() => undefined);
    if (kubeconfig === undefined) throw new Error("the plugins' account has no access to the cluster yet");
    await using transport = httpTransport(readKubeconfig(kubeconfig), { clock, env: process.env });
    const kube = createKubeClient({ transport, userAgent: userAgentOf(input), clock });
    const secret = await kube.get({ apiVersion: "v1", kind: "Secret", namespace, name }, signal);
    return secret && decoded(secret.data);
  };
}

function decoded(data: unknown): Record<string, string> {
  const entries = Object.entries(isRecord(data) ? data : {});
  return Object.fromEntries(
    entries.map(([key, value]) => [key, Buffer.from(String(value), "base64").toString()]),
  );
}
