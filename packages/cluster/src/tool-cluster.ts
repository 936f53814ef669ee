import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EmbeddedCluster, startCluster } from "./start-cluster.ts";
import { type Outcome, type RunOptions, run, unpackTools } from "./test-tools.ts";

/** For tests: an embedded cluster on a free port, with the real kubectl and helm pointed at it. */
export interface ToolCluster extends AsyncDisposable {
  cluster: EmbeddedCluster;
  folder: string;
  kubectl(args: readonly string[], options?: Partial<RunOptions>): Promise<Outcome>;
  helm(args: readonly string[], options?: Partial<RunOptions>): Promise<Outcome>;
  /** The printed answer of a command that must succeed. */
  ok(outcome: Promise<Outcome>): Promise<string>;
}

export async function startToolCluster(options: { podReadyDelayMs?: number } = {}): Promise<ToolCluster> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-cluster-"));
  const tools = await unpackTools();
  const cluster = await startCluster({ dataDir: folder, podReadyDelayMs: options.podReadyDelayMs ?? 100 });
  const { url } = await cluster.listen({ host: "127.0.0.1", port: 0 });
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, cluster.kubeconfig(url), { mode: 0o600 });
  const env = { HOME: folder, KUBECONFIG: kubeconfig, PATH: process.env.PATH ?? "" };
  const runIn =
    (program: string) =>
    (args: readonly string[], more: Partial<RunOptions> = {}) =>
      run(program, args, { ...more, env: { ...env, ...more.env } });
  return {
    cluster,
    folder,
    kubectl: runIn(tools.kubectl),
    helm: runIn(tools.helm),
    async ok(running) {
      const { code, stdout, stderr } = await running;
      if (code !== 0) throw new Error(`exit code ${code}: ${stderr || stdout}`);
      return stdout;
    },
    async [Symbol.asyncDispose]() {
      await cluster.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
