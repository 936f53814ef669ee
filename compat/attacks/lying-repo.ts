/** A program in the place of Argo CD's repo server that says what it likes, and a controller of ours that asks it. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import {
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import type { KubeClient } from "@capstan/kube";
import { realClock, sketchProject, startEmbeddedCluster, startProcess, untilServing } from "@capstan/testkit";
import { reposerver } from "@capstan/wire/repo-protocols";
import { installCrds } from "../../processes/surroundings/install-crds.ts";

/** Whoever answers a call of the service has the stream to itself. */
export type Answer = (stream: ServerHttp2Stream) => void;

const { generateManifest, resolveRevision } = reposerver.RepoServerService.method;
export const commit = "a".repeat(40);
/** What is deployed while it tells the truth. */
export const kept = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "kept", namespace: "lied-to" },
  data: { a: "1" },
};

type Manifests = MessageInitShape<typeof generateManifest.output>;

export const manifestBytes = (answer: Manifests): Buffer => bytesOf(generateManifest.output, answer);

function bytesOf<D extends DescMessage>(desc: D, init: MessageInitShape<D>): Buffer {
  return Buffer.from(toBinary(desc, create(desc, init)));
}

/** A message of gRPC; `flag` 1: compressed. */
export function framed(message: Uint8Array, flag = 0): Buffer {
  return Buffer.concat([prefixOf(message.length, flag), message]);
}

export function prefixOf(length: number, flag = 0): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = flag;
  prefix.writeUInt32BE(length, 1);
  return prefix;
}

const started = { ":status": 200, "content-type": "application/grpc" };

export function begin(stream: ServerHttp2Stream, headers: Record<string, string> = {}): void {
  stream.on("error", () => undefined); // the caller has left, as he should
  stream.respond({ ...started, ...headers }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
}

/** One message, as it should be. */
export const says =
  (message: Uint8Array): Answer =>
  (stream) => {
    begin(stream);
    stream.end(framed(message));
  };

export const truth: Answer = says(
  manifestBytes({ manifests: [JSON.stringify(kept)], revision: commit, sourceType: "Directory" }),
);

const resolved = says(bytesOf(resolveRevision.output, { revision: commit, ambiguousRevision: "main" }));

export interface LyingRepo extends AsyncDisposable {
  readonly kube: KubeClient;
  /** HOST:PORT */
  readonly address: string;
  /** How manifests are answered from now on. */
  answer: Answer;
  /** What the controller has printed. */
  output(): string;
  /** The most memory that the controller has had. */
  peakMegabytes(): number;
}

const launcher = join(import.meta.dirname, "..", "..", "bin", "capstan.js");

export async function startLyingRepo(): Promise<LyingRepo> {
  await using opened = new AsyncDisposableStack();
  const world = { answer: truth };
  // It may say more than ten megabytes at once.
  const server = createServer({ maxSessionMemory: 1_000 });
  server.on("sessionError", () => undefined);
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => sessions.add(session));
  server.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    const path = String(headers[":path"]);
    if (path.endsWith("/GenerateManifest")) world.answer(stream);
    else if (path.endsWith("/ResolveRevision")) resolved(stream);
    else stream.respond({ ...started, "grpc-status": "12", "grpc-message": "no" }, { endStream: true });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  opened.defer(() => {
    server.close();
    for (const session of sessions) session.destroy();
  });
  const place = server.address();
  const address = `127.0.0.1:${typeof place === "object" ? place?.port : ""}`;
  const cluster = opened.use(await startEmbeddedCluster());
  const { kube } = cluster;
  const manager = { fieldManager: "test", force: true, signal: AbortSignal.timeout(60_000) };
  await installCrds({ kube, clock: realClock, signal: manager.signal });
  await kube.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "argocd" } }, manager);
  await kube.apply(sketchProject("default"), manager);
  const data = await mkdtemp(join(tmpdir(), "capstan-lied-to-"));
  opened.defer(() => rm(data, { recursive: true, force: true }));
  const repo = ["--repo-server", address, "--repo-server-protocol", "argocd", "--repo-server-plaintext"];
  const limits = ["--repo-server-timeout-seconds", "3", "--repo-error-grace-period-seconds", "0"];
  const own = ["--data", data, "--kubeconfig", cluster.kubeconfig, "--metrics-port", "0"];
  const controller = opened.use(
    startProcess(process.execPath, [launcher, "controller", ...own, ...repo, ...limits], {}),
  );
  await untilServing(
    "capstan controller",
    controller,
    () => /controller is ready/.exec(controller.output())?.[0],
  );
  const closing = opened.move();
  return Object.assign(world, {
    kube,
    address,
    output: controller.output,
    peakMegabytes() {
      const status = readFileSync(`/proc/${controller.pid}/status`, "utf8");
      return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  });
}
