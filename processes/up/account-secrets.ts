import { readFile } from "node:fs/promises";
import { readKubeconfig } from "@capstan/kube";
import type { ReadSecret } from "@capstan/plugin-vault";
import { readClusterSecret } from "../surroundings/cluster-secret.ts";
import { userAgentOf } from "../surroundings/own-process.ts";
import type { PluginAccount } from "./plugin-account.ts";
import type { SystemInput } from "./system-input.ts";

/** Secrets of the cluster as the plugins' account may read them, which is what its RoleBindings say. */
export function accountSecrets(
  input: Pick<SystemInput, "clock" | "version">,
  account: PluginAccount,
): ReadSecret {
  const { clock } = input;
  return async (ref, signal) => {
    const kubeconfig = await readFile(await account.kubeconfig(signal), "utf8").catch(() => undefined);
    if (kubeconfig === undefined) throw new Error("the plugins' account has no access to the cluster yet");
    const reading = { clock, env: process.env, userAgent: userAgentOf(input), signal };
    return readClusterSecret(readKubeconfig(kubeconfig), ref, reading);
  };
}
