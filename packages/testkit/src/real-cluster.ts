import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClusterConfig, createKubeClient, httpTransport, type KubeClient } from "@capstan/kube";
import { startProcess, untilServing } from "./child-process.ts";
import { freePorts } from "./free-port.ts";
import { kubeconfigText } from "./kubeconfig-text.ts";
import { realClock } from "./real-clock.ts";
import { lacking, realProgramPath } from "./real-programs.ts";
import { lackingSimulatedNode, startSimulatedNode } from "./simulated-node.ts";

/** A real etcd, kube-apiserver and kube-controller-manager; without a node Pods stay Pending. */
export interface RealCluster extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  /** Path of a kubeconfig file. */
  readonly kubeconfig: string;
  /** Path of the certificate that it signed for itself. */
  readonly authority: string;
  /** The same with a namespace in its context. */
  kubeconfigFor(namespace: string): string;
  readonly kube: KubeClient;
  /** Process ids by program, for measuring. */
  readonly pids: Readonly<Record<string, number>>;
}

const token = "test-admin-token";

/** The reason to skip, or false. */
export const lackingRealCluster = ({ nodes = false }: RealClusterOptions = {}): string | false =>
  lacking("etcd", "kube-apiserver", "kube-controller-manager") || (nodes && lackingSimulatedNode());

export interface RealClusterOptions {
  /** As kube-controller-manager's flag --controllers has it. */
  controllers?: string;
  /** A simulated node of kwok, and kube-scheduler. */
  nodes?: boolean;
  /** Takes privileged containers, as most clusters are set up to; with nodes it does anyway. */
  privileged?: boolean;
  /** Files of kwok's Stages, beside those of Nodes and Pods. */
  stages?: readonly string[];
  /** File for what was written: who, what, which object, a line of JSON each (audit.k8s.io/v1, Metadata). */
  auditLog?: string;
  /** Reading is told there as well. */
  auditsReads?: boolean;
  /** File of the certificates that certificates of clients are checked against. */
  clientAuthority?: string;
}

/** Without nodes, what watches over them only makes noise. */
const controllersOf = ({ nodes, controllers }: RealClusterOptions): string =>
  controllers ?? `*,-nodeipam,-cloud-node-lifecycle${nodes ? "" : ",-nodelifecycle"}`;

export async function startRealCluster(options: RealClusterOptions = {}): Promise<RealCluster> {
  const controllers = controllersOf(options);
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-real-cluster-"));
  opened.defer(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const [etcdPort = 0, peerPort = 0, port = 0] = await freePorts(3);
  const url = `https://127.0.0.1:${port}`;
  const kubeconfig = join(dir, "kubeconfig");
  await writeKeys(dir);
  await writeFile(kubeconfig, kubeconfigText({ server: url, token }));
  const etcd = opened.use(startProcess(realProgramPath("etcd"), etcdFlags(dir, etcdPort, peerPort)));
  const flags = apiserverFlags(dir, port, etcdPort);
  if (options.nodes || options.privileged) flags.push("--allow-privileged");
  if (options.auditLog) flags.push(...(await auditFlags(dir, options.auditLog, options.auditsReads)));
  if (options.clientAuthority) flags.push(`--client-ca-file=${options.clientAuthority}`);
  const apiserver = opened.use(startProcess(realProgramPath("kube-apiserver"), flags));
  const config: ClusterConfig = { server: url, bearerToken: token, insecure: true };
  const transport = opened.use(httpTransport(config, { clock: realClock }));
  await untilServing("kube-apiserver", apiserver, async () => {
    const signal = AbortSignal.timeout(5_000);
    const asked = transport({ method: "GET", url: "/readyz", headers: {}, signal });
    const answer = await asked.catch(() => undefined);
    return answer?.status === 200 || undefined;
  });
  const manager = opened.use(
    startProcess(realProgramPath("kube-controller-manager"), managerFlags({ dir, kubeconfig, controllers })),
  );
  const kube = createKubeClient({ transport, userAgent: "capstan-testkit", clock: realClock });
  const node = options.nodes
    ? opened.use(await startSimulatedNode(kube, kubeconfig, options.stages))
    : undefined;
  const closing = opened.move();
  const pids = {
    etcd: etcd.pid,
    "kube-apiserver": apiserver.pid,
    "kube-controller-manager": manager.pid,
    ...node?.pids,
  };
  const kubeconfigFor = (namespace: string): string => kubeconfigText({ server: url, token, namespace });
  return {
    url,
    token,
    kubeconfig,
    authority: join(dir, "certs", "apiserver.crt"),
    kubeconfigFor,
    kube,
    pids,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function writeKeys(dir: string): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  await writeFile(join(dir, "sa.key"), privateKey.export({ type: "pkcs8", format: "pem" }));
  await writeFile(join(dir, "sa.pub"), publicKey.export({ type: "spki", format: "pem" }));
  await writeFile(join(dir, "tokens.csv"), `${token},admin,admin,"system:masters"\n`);
}

const etcdFlags = (dir: string, port: number, peerPort: number): string[] => [
  `--data-dir=${join(dir, "etcd")}`,
  `--listen-client-urls=http://127.0.0.1:${port}`,
  `--advertise-client-urls=http://127.0.0.1:${port}`,
  `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
  `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
  `--initial-cluster=default=http://127.0.0.1:${peerPort}`,
  "--unsafe-no-fsync",
];

const apiserverFlags = (dir: string, port: number, etcdPort: number): string[] => [
  `--etcd-servers=http://127.0.0.1:${etcdPort}`,
  "--bind-address=127.0.0.1",
  "--advertise-address=127.0.0.1",
  `--secure-port=${port}`,
  `--cert-dir=${join(dir, "certs")}`,
  "--service-account-issuer=https://kubernetes.default.svc",
  `--service-account-key-file=${join(dir, "sa.pub")}`,
  `--service-account-signing-key-file=${join(dir, "sa.key")}`,
  `--token-auth-file=${join(dir, "tokens.csv")}`,
  "--authorization-mode=RBAC",
  "--service-cluster-ip-range=10.96.0.0/16",
  "--endpoint-reconciler-type=none",
  "--disable-admission-plugins=ServiceAccount",
];

async function auditFlags(dir: string, log: string, withReads = false): Promise<string[]> {
  const policy = join(dir, "audit-policy.json");
  const rules = [
    ...(withReads ? [] : [{ level: "None", verbs: ["get", "list", "watch"] }]),
    { level: "Metadata", omitStages: ["RequestReceived"] },
  ];
  await writeFile(policy, JSON.stringify({ apiVersion: "audit.k8s.io/v1", kind: "Policy", rules }));
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`];
}

interface ManagerSettings {
  dir: string;
  kubeconfig: string;
  controllers: string;
}

const managerFlags = ({ dir, kubeconfig, controllers }: ManagerSettings): string[] => [
  `--kubeconfig=${kubeconfig}`,
  `--authentication-kubeconfig=${kubeconfig}`,
  `--authorization-kubeconfig=${kubeconfig}`,
  `--service-account-private-key-file=${join(dir, "sa.key")}`,
  "--leader-elect=false",
  "--secure-port=0",
  // Its default of 20 requests a second would hide what deploys to it.
  "--kube-api-qps=500",
  "--kube-api-burst=1000",
  `--controllers=${controllers}`,
];
