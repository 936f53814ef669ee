import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { isRecord, parseJson } from "@capstan/formats";
import { ExitError, type ServerCertificate, UsageError } from "../../command.ts";
import type { Io } from "../../io.ts";

const stopLimitMs = 3_000;

interface Places {
  /** plugin.ts or plugin.yaml. */
  file: string;
  folder: string;
  work: string;
  sockets: string;
  served: ServedToo | undefined;
  io: Io;
}

/** Where it is served besides its socket, over TLS. */
export interface ServedToo {
  /** HOST:PORT */
  readonly listen: string;
  readonly tls: Pick<ServerCertificate, "certificate" | "key">;
  /** What callers there must send. */
  readonly token: string;
}

/** plugin.ts, or plugin.js, else plugin.yaml. */
export async function openLocalPlugin(directory: string, io: Io, served?: ServedToo): Promise<LocalPlugin> {
  const folder = resolve(directory);
  const names = ["plugin.ts", "plugin.js", "plugin.mjs", "plugin.yaml"];
  const name = names.find((one) => existsSync(join(folder, one)));
  if (name === undefined)
    throw new UsageError(
      `${directory} holds neither plugin.ts nor plugin.yaml; begin one with: capstan plugin init ${directory}`,
    );
  const work = await mkdtemp(join(tmpdir(), "capstan-plugin-"));
  const sockets = join(work, "sockets");
  await mkdir(sockets);
  const plugin = new LocalPlugin({ file: join(folder, name), folder, work, sockets, served, io });
  try {
    await plugin.start();
    return plugin;
  } catch (error) {
    await plugin[Symbol.asyncDispose]();
    throw error;
  }
}

/** A plugin of a directory of this machine, served on a socket as it will be in a cluster, by the kit's host. */
export class LocalPlugin implements AsyncDisposable {
  /** The name that applications use. */
  name = "";
  /** Where it is served besides its socket, with the port that was taken. */
  address: string | undefined;
  readonly #places: Places;
  #child: ChildProcess | undefined;
  #answers: AsyncIterator<string> | undefined;

  constructor(places: Places) {
    this.#places = places;
  }

  /** Folder of its socket. */
  get sockets(): string {
    return this.#places.sockets;
  }

  /** What to watch. */
  get folder(): string {
    return this.#places.folder;
  }

  async start(): Promise<void> {
    const host = fileURLToPath(import.meta.resolve("@capstan/plugin-kit/host"));
    const { file, work, sockets, served, io } = this.#places;
    const args = [
      host,
      file,
      sockets,
      join(work, "runs"),
      ...(served ? await argumentsOf(served, work) : []),
    ];
    const child = spawn(process.execPath, args, {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, ...io.env },
    });
    child.stderr.on("data", (chunk: Buffer) => io.err(chunk.toString()));
    this.#child = child;
    this.#answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    await this.#answer();
  }

  /** Takes what the directory holds now; rejects with what is wrong with it. */
  async reload(): Promise<void> {
    this.#child?.stdin?.write("reload\n");
    await this.#answer();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child) await stop(this.#child, this.#places.io);
    await rm(this.#places.work, { recursive: true, force: true });
  }

  async #answer(): Promise<void> {
    const next = await this.#answers?.next();
    const value = next === undefined || next.done ? undefined : parseJson(next.value);
    if (!isRecord(value) || typeof value.name !== "string")
      throw new ExitError(
        isRecord(value) ? String(value.problem) : `${this.#places.file}: the program ended before it served`,
        20,
      );
    this.name = value.name;
    if (typeof value.address === "string") this.address = value.address;
  }
}

async function argumentsOf({ listen, tls, token }: ServedToo, work: string): Promise<string[]> {
  const [certificate, key, tokenFile] = [join(work, "tls.crt"), join(work, "tls.key"), join(work, "token")];
  await writeFile(tokenFile, token, { mode: 0o600 });
  await writeFile(certificate, tls.certificate);
  await writeFile(key, tls.key, { mode: 0o600 });
  return [listen, certificate, key, tokenFile];
}

async function stop(child: ChildProcess, io: Io): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const late = new AbortController();
  io.clock.sleep(stopLimitMs, late.signal).then(
    () => child.kill("SIGKILL"),
    () => undefined,
  );
  await ended;
  late.abort();
}
