import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  lacking,
  lackingRealCluster,
  type RealCluster,
  realProgramPath,
  startRealCluster,
} from "@capstan/testkit";

const run = promisify(execFile);
const callLimitMs = 150_000;
export const deployFolder = join(import.meta.dirname, "..", "..", "deploy");
export const chart = join(deployFolder, "capstan", "chart");

/** The reason to skip, or false. */
export const lackingInstallers = (): string | false =>
  lackingRealCluster({ nodes: true }) || lacking("helm3", "kubectl");

/** A real cluster with a simulated node, and the programs of people who install on it. */
export interface InstallWorld extends AsyncDisposable {
  readonly cluster: RealCluster;
  /** A folder that goes with it. */
  readonly folder: string;
  /** What it printed on both streams; a warning of the API server is an error here. */
  helm(...words: string[]): Promise<string>;
  kubectl(...words: string[]): Promise<string>;
  /** The certificate of the API server's authority. */
  authority(): Promise<string>;
}

/** `nodes`: Pods run, as kwok says. */
export async function openInstallWorld({ nodes }: { nodes: boolean }): Promise<InstallWorld> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "capstan-installation-"));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const cluster = opened.use(await startRealCluster({ nodes }));
  const env = { PATH: process.env.PATH, HOME: folder, KUBECONFIG: cluster.kubeconfig };
  const call = async (program: string, words: string[]): Promise<string> => {
    const { stdout, stderr } = await run(realProgramPath(program), words, {
      env,
      timeout: callLimitMs,
      maxBuffer: 50_000_000,
    });
    if (/^Warning:|W\d{4} .*(?:PodSecurity|unknown field)/m.test(stderr)) throw new Error(stderr);
    return stdout + stderr;
  };
  const closing = opened.move();
  return {
    cluster,
    folder,
    helm: (...words) => call("helm3", words),
    kubectl: (...words) => call("kubectl", words),
    authority: () => readFile(cluster.authority, "utf8"),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** A namespace that takes only Pods that Pod Security calls restricted. */
export async function createRestrictedNamespace({ kubectl }: InstallWorld, name: string): Promise<void> {
  await kubectl("create", "namespace", name);
  await kubectl(
    ...["label", "namespace", name],
    ...["enforce", "warn"].map((mode) => `pod-security.kubernetes.io/${mode}=restricted`),
  );
}

/** Kinds and names of a namespace and of what lies in none, without what every namespace has. */
export async function objectsOf({ kubectl }: InstallWorld, namespace: string): Promise<string[]> {
  const kinds =
    "deployments,pods,services,secrets,configmaps,serviceaccounts,roles,rolebindings,networkpolicies,horizontalpodautoscalers,poddisruptionbudgets";
  const inside = await kubectl("get", kinds, "-n", namespace, "-o", "name", "--ignore-not-found");
  const around = await kubectl("get", "clusterroles,clusterrolebindings,crds", "-o", "name");
  const isOurs = (name: string): boolean => /capstan|argoproj/.test(name);
  const everywhere = /\/(?:kube-root-ca\.crt|default)$/;
  return [
    ...inside.split("\n").filter((name) => name.includes("/") && !everywhere.test(name)),
    ...around.split("\n").filter(isOurs),
  ].toSorted();
}
