import { join } from "node:path";
import type { KubeClient } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import { startProcess, untilServing } from "@capstan/testkit";
import type { Destination } from "./clusters.ts";

/** Clusters that applications are deployed to, in a few processes, so that none of them holds up all. */
export interface Fleet extends AsyncDisposable {
  readonly destinations: readonly Destination[];
  readonly pids: Readonly<Record<string, number>>;
}

/** One process would be one core. */
const clustersInProcess = 25;
const program = join(import.meta.dirname, "clusters.ts");

export async function startFleet(count: number): Promise<Fleet> {
  await using opened = new AsyncDisposableStack();
  const destinations: Destination[] = [];
  const pids: Record<string, number> = {};
  for (let left = count; left > 0; left -= clustersInProcess) {
    const some = Math.min(left, clustersInProcess);
    const child = opened.use(startProcess(process.execPath, [program, `${some}`]));
    destinations.push(...(await untilServing("the clusters", child, () => readLine(child.output()))));
    pids[`clusters ${Object.keys(pids).length + 1}`] = child.pid;
  }
  const closing = opened.move();
  return { destinations, pids, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

function readLine(output: string): Destination[] | undefined {
  const line = output.split("\n").find((one) => one.startsWith("[") && one.endsWith("]"));
  return line === undefined ? undefined : JSON.parse(line);
}

/** As `argocd cluster add` writes it. */
function secretOf({ server, token, authority }: Destination, index: number): Manifest {
  const config = {
    bearerToken: token,
    tlsClientConfig: { caData: Buffer.from(authority).toString("base64") },
  };
  const labels = { "argocd.argoproj.io/secret-type": "cluster" };
  const name = `cluster-${index}`;
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: "argocd", labels },
    stringData: { server, name, config: JSON.stringify(config) },
  };
}

export async function addClusters(kube: KubeClient, fleet: Fleet, signal: AbortSignal): Promise<void> {
  for (const [index, one] of fleet.destinations.entries())
    await kube.create(secretOf(one, index), { fieldManager: "bench", signal });
}
