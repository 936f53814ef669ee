import { type ChildProcess, type ChildProcessByStdio, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { ExitError, type ForwardedPod, type ForwardedPort, type Io } from "@capstan/cli/record";
import { toolPath } from "@capstan/programs";

/** Of the API server's container, Argo CD's and Capstan's (argocd apiclient NewClient). */
const serverPort = 8080;
const nameLabel = "app.kubernetes.io/name";
const startMs = 30_000;
const maxOutputBytes = 64 * 1024;

/** `kubectl port-forward` to a running Pod of the API server. Fails with what kubectl said. */
export async function forwardPort(
  { context, namespace, serverName }: ForwardedPod,
  { env, signal }: Pick<Io, "env" | "signal">,
): Promise<ForwardedPort> {
  const where = [
    ...(context ? ["--context", context] : []),
    ...(namespace ? ["--namespace", namespace] : []),
  ];
  const kubectl = await toolPath("kubectl", env);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(startMs)]);
  const label = serverName ? `${nameLabel}=${serverName}` : `${nameLabel} in (argocd-server, capstan-server)`;
  const asked = await promisify(execFile)(
    kubectl,
    [...where, "get", "pods", "-l", label, "--field-selector=status.phase=Running", "-o", "name"],
    { env, signal: limit, maxBuffer: maxOutputBytes },
  ).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new ExitError(`no server is found through the cluster: ${saidBy(error)}`, 20);
  });
  const pod = asked.stdout.split("\n", 1)[0]?.trim();
  if (!pod)
    throw new ExitError(
      `no Pod with ${label} runs in ${namespace ? `namespace ${namespace}` : "the kubeconfig's namespace"}: name another one with --port-forward-namespace, or its label with --server-name`,
      20,
    );
  const child = spawn(kubectl, [...where, "port-forward", "--address", "127.0.0.1", pod, `:${serverPort}`], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  try {
    return { address: await addressOf(child, limit), [Symbol.asyncDispose]: () => end(child) };
  } catch (error) {
    await end(child);
    signal.throwIfAborted();
    throw error;
  }
}

/** Reads on after the address, since a full pipe would hold kubectl up. */
async function addressOf(
  child: ChildProcessByStdio<null, Readable, Readable>,
  signal: AbortSignal,
): Promise<string> {
  const said: string[] = [];
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (said.length < 20) said.push(text.slice(0, 1_000));
  });
  const told = Promise.withResolvers<string>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const port = /^Forwarding from 127\.0\.0\.1:(\d+) -> /.exec(line)?.[1];
    if (port) told.resolve(`localhost:${port}`);
  });
  const fail = (): void =>
    told.reject(
      new ExitError(`kubectl port-forward ended: ${said.join("").trim() || "it said nothing"}`, 20),
    );
  child.once("error", (error) => told.reject(error)).once("close", fail);
  signal.addEventListener("abort", fail, { once: true });
  try {
    return await told.promise;
  } finally {
    signal.removeEventListener("abort", fail);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill();
  await ended;
}

function saidBy(error: unknown): string {
  const told = typeof error === "object" && error !== null && "stderr" in error ? String(error.stderr) : "";
  return told.trim().slice(0, 1_000) || String(error);
}
