import type { KubeClient } from "@capstan/kube";
import { startProcess } from "./child-process.ts";
import { eventually } from "./real-clock.ts";
import { lacking, realProgramPath } from "./real-programs.ts";

const name = "kwok-node";
const stages = "kwok-stages.yaml";
const startLimitMs = 100_000;

/** The reason to skip, or false. */
export const lackingSimulatedNode = (): string | false => lacking("kube-scheduler", "kwok", stages);

export interface SimulatedNode extends AsyncDisposable {
  readonly pids: Readonly<Record<string, number>>;
}

/** kwok's node and kube-scheduler on a real control plane: Pods become Running, nothing runs. */
export async function startSimulatedNode(
  kube: KubeClient,
  kubeconfig: string,
  moreStages: readonly string[] = [],
): Promise<SimulatedNode> {
  await using opened = new AsyncDisposableStack();
  const scheduler = opened.use(
    startProcess(realProgramPath("kube-scheduler"), [
      `--kubeconfig=${kubeconfig}`,
      "--leader-elect=false",
      "--secure-port=0",
    ]),
  );
  const kwok = opened.use(
    startProcess(realProgramPath("kwok"), [
      `--kubeconfig=${kubeconfig}`,
      "--manage-all-nodes=true",
      ...[realProgramPath(stages), ...moreStages].map((file) => `--config=${file}`),
    ]),
  );
  await createNode(kube);
  await eventually(() => isSchedulable(kube), {
    signal: AbortSignal.timeout(startLimitMs),
    describe: () => `the simulated node is not ready:\n${kwok.output().slice(-4000)}`,
  });
  const closing = opened.move();
  return {
    pids: { "kube-scheduler": scheduler.pid, kwok: kwok.pid },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function createNode(kube: KubeClient): Promise<void> {
  const room = { cpu: "64", memory: "256Gi", pods: "1000", "ephemeral-storage": "500Gi" };
  const options = { fieldManager: "testkit", signal: AbortSignal.timeout(startLimitMs) };
  const type = { apiVersion: "v1", kind: "Node" };
  const labels = {
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": "linux",
    "kubernetes.io/arch": "amd64",
  };
  const annotations = { "kwok.x-k8s.io/node": "fake" };
  await kube.create({ ...type, metadata: { name, labels, annotations } }, options);
  const status = { capacity: room, allocatable: room };
  await kube.patch(
    { ...type, name },
    { type: "merge", body: { status } },
    { ...options, subresource: "status" },
  );
}

/** Ready, and the taint of new nodes taken away by kube-controller-manager. */
async function isSchedulable(kube: KubeClient): Promise<true | undefined> {
  const node = await kube.get({ apiVersion: "v1", kind: "Node", name }, AbortSignal.timeout(5_000));
  const spec = node?.spec;
  const isTainted = typeof spec === "object" && spec !== null && "taints" in spec;
  return node !== undefined && !isTainted ? true : undefined;
}
