import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { eventually, freePorts, realProgram, startProcess } from "@capstan/testkit";
import { Client, credentials } from "@grpc/grpc-js";
import type { Asked, RepoPeer } from "./repo-peer.ts";

/** The real argocd-repo-server with its redis, asked as the controller asks it. */
export async function startStockRepoServer(dir: string, pluginSockets: string): Promise<RepoPeer> {
  await using opened = new AsyncDisposableStack();
  const [redis = 0, port = 0, metrics = 0] = await freePorts(3);
  const found = realProgram("argocd-repo-server");
  if ("absent" in found) throw new Error(found.absent);
  for (const folder of ["tls", "gpg", "tmp"]) await mkdir(join(dir, folder), { recursive: true });
  opened.use(startProcess("redis-server", ["--port", `${redis}`, "--save", "", "--bind", "127.0.0.1"]));
  const env = {
    ...process.env,
    ARGOCD_FAKE_IN_CLUSTER: "true",
    ARGOCD_GPG_ENABLED: "false",
    ARGOCD_TLS_DATA_PATH: join(dir, "tls"),
    ARGOCD_GNUPGHOME: join(dir, "gpg"),
    ARGOCD_PLUGINSOCKFILEPATH: pluginSockets,
    TMPDIR: join(dir, "tmp"),
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "protocol.file.allow",
    GIT_CONFIG_VALUE_0: "always",
  };
  const flags = [
    `--redis=127.0.0.1:${redis}`,
    `--port=${port}`,
    `--metrics-port=${metrics}`,
    "--disable-tls",
  ];
  const server = opened.use(startProcess(found.path, flags, { env }));
  await eventually(() => server.output().includes("listening on") || undefined, {
    signal: AbortSignal.timeout(30_000),
    describe: () => `argocd-repo-server is not ready:\n${server.output()}`,
  });
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    "grpc.max_receive_message_length": -1,
  });
  opened.defer(() => client.close());
  const ask = promisify(
    (request: Buffer, done: (error: Error | null, answer?: Buffer) => void) =>
      void client.makeUnaryRequest(
        "/repository.RepoServerService/GenerateManifest",
        (bytes: Buffer) => bytes,
        (bytes: Buffer) => bytes,
        request,
        done,
      ),
  );
  const closing = opened.move();
  return {
    pid: server.pid,
    async render(asked) {
      await Promise.all(asked.paths.map((path) => ask(manifestRequest(asked, path))));
      return undefined;
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** reposerver/repository/repository.proto ManifestRequest, as much of it as is needed. */
function manifestRequest({ url, revision, plugin }: Asked, path: string): Buffer {
  const source = [
    text(1, url),
    text(2, path),
    text(4, "main"),
    ...(plugin === undefined ? [] : [message(11, [text(1, plugin)])]),
  ];
  return Buffer.concat([
    message(1, [text(1, url)]),
    text(2, revision),
    text(5, path.replaceAll("/", "-")),
    text(8, "default"),
    message(10, source),
    text(14, "1.34.0"),
    text(25, "default"),
  ]);
}

function message(field: number, parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([varint(field * 8 + 2), varint(body.length), body]);
}

function text(field: number, value: string): Buffer {
  return message(field, [Buffer.from(value)]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}
