import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { grpcClient, RpcError } from "@capstan/plugin-kit/grpc";
import { cmp } from "@capstan/wire/plugin-protocols";
import { Client, credentials } from "@grpc/grpc-js";

export type TestFile = string | Buffer | { link: string } | { text: string; mode: number };

export interface StockRequest {
  readonly files: Readonly<Record<string, TestFile>>;
  readonly path?: string;
  readonly env?: readonly { name: string; value: string }[];
  readonly chunkBytes?: number;
  readonly deadlineMs?: number;
  /** Sends something else than the protocol says. */
  readonly spoil?: "checksum" | "archive" | "no metadata" | "metadata twice";
}

export type StockMethod = "generateManifest" | "matchRepository" | "getParametersAnnouncement";

const limitMs = 60_000;

/** The archive that a repo-server would send. */
export async function packFiles(files: StockRequest["files"]): Promise<Buffer> {
  const dir = await mkdtemp(join(tmpdir(), "capstan-files-"));
  try {
    for (const [name, file] of Object.entries(files)) {
      const path = join(dir, name);
      await mkdir(dirname(path), { recursive: true });
      if (typeof file === "string" || Buffer.isBuffer(file)) await writeFile(path, file);
      else if ("link" in file) await symlink(file.link, path);
      else {
        await writeFile(path, file.text);
        await chmod(path, file.mode);
      }
    }
    const args = ["--sort=name", "-czf", "-", "-C", dir, "."];
    const { stdout } = await promisify(execFile)("tar", args, { encoding: "buffer", maxBuffer: 2 ** 30 });
    return stdout;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function* messages(archive: Buffer, { path = ".", env = [], chunkBytes = 1024, spoil }: StockRequest) {
  const metadata = {
    appName: path,
    appRelPath: path,
    checksum: spoil === "checksum" ? "0".repeat(64) : hash("sha256", archive, "hex"),
    size: 1n,
    env: [...env],
  };
  const first = { request: { case: "metadata", value: metadata } } as const;
  if (spoil !== "no metadata") yield first;
  for (let at = 0; at < archive.length; at += chunkBytes) {
    if (spoil === "metadata twice" && at > 0) yield first;
    yield { request: { case: "file", value: { chunk: archive.subarray(at, at + chunkBytes) } } } as const;
  }
}

/** What a server says, as a value that can be compared: the answer, or the failure's code and text. */
export async function askStock(socket: string, method: StockMethod, request: StockRequest): Promise<unknown> {
  const packed = await packFiles(request.files);
  const archive =
    request.spoil === "archive" ? Buffer.concat([packed.subarray(0, 40), Buffer.alloc(99)]) : packed;
  const client = new Client(`unix://${socket}`, credentials.createInsecure(), {
    "grpc.max_receive_message_length": -1,
  });
  try {
    const service = grpcClient(cmp.ConfigManagementPluginService, client);
    const signal = AbortSignal.timeout(limitMs);
    // The server alone goes by it: this side would give up at the same moment, before it had the answer.
    const headers = { "grpc-timeout": `${request.deadlineMs ?? limitMs}m` };
    return await service[method](messages(archive, request), { signal, headers });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { code: error.code, message: error.message };
  } finally {
    client.close();
  }
}

export async function checkStock(socket: string): Promise<unknown> {
  const client = new Client(`unix://${socket}`, credentials.createInsecure());
  try {
    const service = grpcClient(cmp.ConfigManagementPluginService, client);
    return await service.checkPluginConfiguration({}, { signal: AbortSignal.timeout(limitMs) });
  } finally {
    client.close();
  }
}
