import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type EmbeddedClusterProcess,
  realClock,
  sketchProject,
  startProcess,
  type TestProcess,
  untilServing,
} from "@capstan/testkit";
import { installCrds } from "../../processes/surroundings/install-crds.ts";

const program = join(import.meta.dirname, "..", "..", "bin", "capstan.js");
const limit = () => AbortSignal.timeout(60_000);

interface Input {
  readonly cluster: EmbeddedClusterProcess;
  readonly folder: string;
  /** Of the way to the cluster that can be shut. */
  readonly kubeconfig: string;
  readonly repositories: string;
  readonly count: number;
  /** Seconds by which their clocks are wrong, in the order in which they are started. */
  readonly skews: readonly number[];
}

/** Several `capstan controller` that share the applications, and the repo server that they ask. */
export interface Controllers extends AsyncDisposable {
  /** Ends the next of them, in turn, at once. */
  kill(): Promise<void>;
  /** One in place of each that was ended. */
  start(): Promise<void>;
}

export async function startControllers(input: Input): Promise<Controllers> {
  const { cluster, folder, kubeconfig, repositories, count, skews } = input;
  const { kube } = cluster;
  const manager = { fieldManager: "test", force: true, signal: limit() };
  await installCrds({ kube, clock: realClock, signal: limit() });
  await kube.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "argocd" } }, manager);
  await kube.apply(sketchProject("default"), manager);
  await using opened = new AsyncDisposableStack();
  const token = join(folder, "token");
  await writeFile(token, "of the kills\n");
  const started = async (name: string, words: readonly string[], skew = 0): Promise<TestProcess> => {
    made += 1;
    const data = ["--data", join(folder, `${name}-${made}`), "--kubeconfig", kubeconfig];
    const args = [program, name, ...data, "--metrics-port", "0", ...words];
    const env = { ...process.env, HOME: folder, ...(skew === 0 ? {} : wrongClock(skew)) };
    const child = startProcess(process.execPath, args, { env });
    closing.use(child);
    await untilServing(name, child, () => child.output().includes(`${name} is ready`) || undefined);
    return child;
  };
  let made = 0;
  const closing = opened.move();
  const own = [
    "--port",
    "0",
    "--address",
    "127.0.0.1",
    "--token-file",
    token,
    "--allow-folder",
    repositories,
  ];
  const repo = await started("repo-server", own);
  const port = /"port":(\d+)/.exec(repo.output())?.[1];
  const asking = ["--repo-server", `127.0.0.1:${port}`, "--repo-server-token-file", token];
  const running: TestProcess[] = [];
  let next = 0;
  const start = async (): Promise<void> => {
    while (running.length < count)
      running.push(await started("controller", asking, skews[next++ % skews.length]));
  };
  await start();
  return {
    start,
    kill: async () => running.shift()?.kill("SIGKILL"),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

const shiftClock = pathToFileURL(join(import.meta.dirname, "shift-clock.ts")).href;

/** Of a whole program with its threads: what it takes for the time, not how fast that passes. */
function wrongClock(seconds: number): Record<string, string> {
  const options = `${process.env.NODE_OPTIONS ?? ""} --import=${shiftClock}`;
  return { NODE_OPTIONS: options.trim(), SHIFT_CLOCK_MS: `${seconds * 1_000}` };
}
