import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { startClusterThread } from "@capstan/cluster/thread";
import type { Clock } from "@capstan/flow";
import { httpTransport, type KubeRequest, openKubeconfig, type Transport } from "@capstan/kube";
import type { Log } from "@capstan/plugin-kit";
import { writeWhole } from "../surroundings/data-folder.ts";
import { openAuditLog } from "./audit-log.ts";
import { listenAnyway } from "./listen-anyway.ts";
import type { UpOptions } from "./options.ts";

export interface OpenCluster extends AsyncDisposable {
  readonly transport: Transport;
  /** Path of the kubeconfig in the data folder. */
  readonly kubeconfig: string;
  readonly isSimulated: boolean;
  readonly moved: readonly { wanted: number; taken: number }[];
}

interface Input {
  options: UpOptions;
  clock: Clock;
  log: Log;
}

/** The embedded cluster, in a thread of its own, reached without a socket and listening for everyone else; or the person's own. */
export async function openCluster(input: Input): Promise<OpenCluster> {
  const kubeconfig = join(input.options.dataDir, "kubeconfig");
  const { kubeconfig: given } = input.options;
  return given === undefined ? openEmbedded(input, kubeconfig) : openGiven(input, given, kubeconfig);
}

async function openGiven({ clock }: Input, given: string, kubeconfig: string): Promise<OpenCluster> {
  const { config, moved } = await openKubeconfig(given);
  const transport = httpTransport(config, { clock, env: process.env });
  await writeWhole(kubeconfig, moved);
  const dispose = () => transport[Symbol.asyncDispose]();
  return { transport, kubeconfig, isSimulated: false, moved: [], [Symbol.asyncDispose]: dispose };
}

async function openEmbedded({ options, clock, log }: Input, kubeconfig: string): Promise<OpenCluster> {
  const dataDir = join(options.dataDir, "cluster");
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const audit = options.auditLog === undefined ? undefined : openAuditLog(options.auditLog, log);
  const cluster = await startClusterThread({
    dataDir,
    ...(audit ? { audit } : {}),
    podReadyDelayMs: options.podReadyDelayMs,
    loadsFirst: new URL("../surroundings/memory-at-rest.ts", import.meta.url),
    log: ({ level, message, ...facts }) => log[level](facts, message),
  });
  const { url, moved } = await listenAnyway(cluster, { host: options.host, port: options.clusterPort });
  await writeWhole(kubeconfig, cluster.kubeconfig(url));
  // What leaves HTTP goes where everybody else comes from.
  const { openSocket } = httpTransport((await openKubeconfig(kubeconfig)).config, { clock });
  return {
    transport: Object.assign((request: KubeRequest) => cluster.handle(request), { openSocket }),
    kubeconfig,
    isSimulated: true,
    moved,
    [Symbol.asyncDispose]: async () => {
      await cluster.close();
      await audit?.[Symbol.asyncDispose]();
    },
  };
}
