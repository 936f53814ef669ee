import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Flags, FlagValues } from "@capstan/cli/record";
import { apiFlags, portFlag } from "../surroundings/api-options.ts";
import { clusterFlag } from "../surroundings/find-cluster.ts";
import { otlpFlags } from "../surroundings/otlp-flags.ts";
import { readUpOptions, type UpOptions, upFlags } from "../up/options.ts";
import { repoFlags } from "./repo-flags.ts";

/** Of a part that runs as a program of its own. */
export interface Part {
  /** As the command is called. */
  readonly name: "controller" | "application-set" | "notifications" | "repo-server";
  /** What Argo CD's variables of the same program begin with. */
  readonly env: string;
  /** Port of its metrics and its health, as Argo CD's program has it. */
  readonly metricsPort: number;
}

type Env = Readonly<Record<string, string | undefined>>;

/** What the programs say alike. */
export const partFlags = ({ name, env, metricsPort }: Part) =>
  ({
    kubeconfig: clusterFlag,
    namespace: apiFlags.namespace,
    "application-namespaces": apiFlags["application-namespaces"],
    namespaced: apiFlags.namespaced,
    "metrics-port": {
      ...portFlag,
      help: "Port of /metrics, /healthz and /readyz; 0 = any free one",
      byDefault: String(metricsPort),
    },
    "metrics-address": {
      kind: "string",
      value: "ADDRESS",
      help: "Address of that port",
      byDefault: "127.0.0.1",
      env: `${env}_METRICS_LISTEN_ADDRESS`,
    },
    logformat: {
      kind: "string",
      value: "FORMAT",
      help: "Form of the log",
      choices: ["text", "json"],
      byDefault: "json",
      env: `${env}_LOGFORMAT`,
    },
    loglevel: {
      kind: "string",
      value: "LEVEL",
      help: "debug tells every look at every object",
      choices: ["debug", "info", "warn", "error"],
      byDefault: "info",
      env: `${env}_LOGLEVEL`,
    },
    data: {
      kind: "string",
      value: "DIR",
      help: "Where repositories and charts are kept while it renders by itself; all of it may be lost",
      byDefault: `~/.capstan/${name}`,
    },
    "plugin-sockets": upFlags["plugin-sockets"],
    "repo-server-memory-limit": upFlags["repo-server-memory-limit"],
    "allow-folder": {
      ...upFlags["allow-folder"],
      help: "Folder whose repositories applications may name as file://; repeatable (default: none)",
    },
    "secret-stores": upFlags["secret-stores"],
    ...otlpFlags(env),
  }) as const satisfies Flags;

/** Of a loop, which asks repo servers. */
export const loopFlags = (part: Part) =>
  ({ ...partFlags(part), ...repoFlags(part.env) }) as const satisfies Flags;

export type LoopFlagValues = FlagValues<ReturnType<typeof loopFlags>>;
export type PartFlagValues = FlagValues<ReturnType<typeof partFlags>>;

export interface PartOptions {
  readonly up: UpOptions;
  readonly metrics: { readonly host: string; readonly port: number };
}

export function readPartOptions(part: Part, flags: PartFlagValues, env: Env): PartOptions {
  const { logformat, loglevel, "metrics-port": port, "metrics-address": host, data, ...rest } = flags;
  const up = readUpOptions(
    {
      ...rest,
      data: resolve(data ?? join(homedir(), ".capstan", part.name)),
      // Of folders that applications may name: those of the embedded cluster's person are nobody's here.
      kubeconfig: rest.kubeconfig ?? "in-cluster",
      "no-controllers": true,
      "log-format": logformat ?? "json",
      "log-level": loglevel === "debug" ? "debug" : "info",
    },
    env,
  );
  return { up, metrics: { host: host ?? "127.0.0.1", port: port ?? part.metricsPort } };
}
