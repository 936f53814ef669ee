import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createGitRepository,
  type EmbeddedClusterProcess,
  type GitRepository,
  realClock,
  sketchProject,
  startEmbeddedCluster,
  startProcess,
  type TestProcess,
  untilServing,
} from "@capstan/testkit";
import { installCrds } from "../surroundings/install-crds.ts";

const program = join(import.meta.dirname, "..", "..", "bin", "capstan.js");
const never = new AbortController().signal;

export interface PartProcess extends TestProcess {
  /** Of /metrics, /healthz and /readyz. */
  readonly url: string;
}

/** The embedded cluster as a process, and Capstan's programs beside it. */
export interface PartsWorld extends AsyncDisposable {
  readonly cluster: EmbeddedClusterProcess;
  readonly repository: GitRepository;
  /** Flags by which a program knows repo servers, and these it: a token. */
  readonly token: string;
  start(name: string, flags?: readonly string[]): Promise<PartProcess>;
  /** Repo servers, as --repo-server names them. */
  startRepoServers(count: number): Promise<{ servers: PartProcess[]; flags: string[] }>;
}

export async function openPartsWorld(files: Readonly<Record<string, string>>): Promise<PartsWorld> {
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-parts-"));
  opened.defer(() => rm(dir, { recursive: true, force: true }));
  const repository = opened.use(await createGitRepository(files));
  const cluster = opened.use(await startEmbeddedCluster());
  const { kube } = cluster;
  const manager = { fieldManager: "test", force: true, signal: never };
  await installCrds({ kube, clock: realClock, signal: never });
  await kube.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "argocd" } }, manager);
  await kube.apply(sketchProject("default"), manager);
  const token = join(dir, "token");
  await writeFile(token, "a token of this test\n");
  const closing = opened.move();
  let started = 0;
  const start: PartsWorld["start"] = async (name, flags = []) => {
    started += 1;
    const data = ["--data", join(dir, `${name}-${started}`), "--kubeconfig", cluster.kubeconfig];
    const words = [program, name, ...data, "--metrics-port", "0", ...flags];
    const part = closing.use(startProcess(process.execPath, words, { env: { ...process.env, HOME: dir } }));
    const url = await untilServing(`capstan ${name}`, part, () => {
      const said = part.output();
      const isReady = name === "server" ? /^ready: /m.test(said) : said.includes(`${name} is ready`);
      return isReady ? /(?:"url":"|^metrics: )([^"\s]+)/m.exec(said)?.[1] : undefined;
    });
    return { ...part, url };
  };
  const startRepoServers: PartsWorld["startRepoServers"] = async (count) => {
    const own = [
      "--port",
      "0",
      "--address",
      "127.0.0.1",
      "--token-file",
      token,
      "--allow-folder",
      repository.dir,
    ];
    const servers = await Promise.all(Array.from({ length: count }, () => start("repo-server", own)));
    const ports = servers.map((one) => /"port":(\d+)/.exec(one.output())?.[1] ?? "");
    const names = ports.map((port) => `127.0.0.1:${port}`).join(",");
    return { servers, flags: ["--repo-server", names, "--repo-server-token-file", token] };
  };
  return {
    cluster,
    repository,
    token,
    start,
    startRepoServers,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
