import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster } from "@capstan/cluster";

/** The embedded cluster in this process, listening. */
export async function startEmbedded(): Promise<AsyncDisposable & { kubeconfig: string }> {
  await using opened = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-conformance-"));
  opened.defer(() => rm(dataDir, { recursive: true, force: true }));
  const cluster = opened.use(
    await startCluster({
      dataDir,
      log: ({ level, message, error }) => {
        if (level === "error") console.error(`embedded cluster: ${message} ${error ?? ""}`);
      },
    }),
  );
  const { url } = await cluster.listen({ host: "127.0.0.1", port: 0 });
  const kubeconfig = join(dataDir, "kubeconfig");
  await writeFile(kubeconfig, cluster.kubeconfig(url));
  const closing = opened.move();
  return { kubeconfig, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}
