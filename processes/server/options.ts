import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Flags, FlagValues } from "@capstan/cli/record";
import { repoFlags } from "../parts/repo-flags.ts";
import { apiFlags, portFlag } from "../surroundings/api-options.ts";
import { clusterFlag } from "../surroundings/find-cluster.ts";
import { otlpFlags } from "../surroundings/otlp-flags.ts";
import { shutdownFlags } from "../surroundings/shutdown-delay.ts";
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
  kubeconfig: clusterFlag,
  "plugin-sockets": upFlags["plugin-sockets"],
  "repo-server-memory-limit": upFlags["repo-server-memory-limit"],
  "allow-folder": {
    ...upFlags["allow-folder"],
    help: "Folder whose repositories applications may name as file://; repeatable (default: none)",
  },
  "secret-stores": upFlags["secret-stores"],
  ...shutdownFlags,
  ...repoFlags("ARGOCD_SERVER"),
  ...otlpFlags("ARGOCD_SERVER"),
  ...apiFlags,
} as const satisfies Flags;

type Env = Readonly<Record<string, string | undefined>>;

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
