import { join } from "node:path";
import type { Clock } from "@capstan/flow";
import { httpTransport, type KubeRequest, openKubeconfig, type Transport } from "@capstan/kube";
import { writeWhole } from "../surroundings/data-folder.ts";
import type { BegunCluster } from "./begin-cluster.ts";
import { listenAnyway } from "./listen-anyway.ts";
import type { UpOptions } from "./options.ts";

/** The person's own. */
interface GivenCluster {
  /** Path of its kubeconfig. */
  readonly file: string;
}

export type WantedCluster = BegunCluster | GivenCluster;

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
}

/** The cluster that was begun, reached without a socket and listening for everyone else; or the person's own. */
export async function openCluster(input: Input, wanted: WantedCluster): Promise<OpenCluster> {
  const kubeconfig = join(input.options.dataDir, "kubeconfig");
  return "opening" in wanted ? openBegun(input, wanted, kubeconfig) : openGiven(input, wanted, kubeconfig);
}

async function openGiven({ clock }: Input, given: GivenCluster, kubeconfig: string): Promise<OpenCluster> {
  const { config, moved } = await openKubeconfig(given.file);
  const transport = httpTransport(config, { clock, env: process.env });
  await writeWhole(kubeconfig, moved);
  const dispose = () => transport[Symbol.asyncDispose]();
  return { transport, kubeconfig, isSimulated: false, moved: [], [Symbol.asyncDispose]: dispose };
}

async function openBegun(
  { options, clock }: Input,
  begun: BegunCluster,
  kubeconfig: string,
): Promise<OpenCluster> {
  const cluster = await begun.opening;
  const { url, moved } = await listenAnyway(cluster, { host: options.host, port: options.clusterPort });
  await writeWhole(kubeconfig, cluster.kubeconfig(url));
  // What leaves HTTP goes where everybody else comes from.
  const { openSocket } = httpTransport((await openKubeconfig(kubeconfig)).config, { clock });
  return {
    transport: Object.assign((request: KubeRequest) => cluster.handle(request), { openSocket }),
    kubeconfig,
    isSimulated: true,
    moved,
    [Symbol.asyncDispose]: () => begun[Symbol.asyncDispose](),
  };
}
