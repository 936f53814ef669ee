import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { isRecord, parseJson } from "@capstan/model";
import { ExitError, UsageError } from "../../command.ts";
import type { Io } from "../../io.ts";

/** A plugin of a directory of this machine, served on a socket as it will be in a cluster. */
export interface LocalPlugin extends AsyncDisposable {
  /** The name that applications use. */
  readonly name: string;
  /** Folder of its socket. */
  readonly sockets: string;
  /** What to watch. */
  readonly folder: string;
  /** Takes what the directory holds now; rejects with what is wrong with it. */
  reload(): Promise<void>;
}

const launcher = fileURLToPath(new URL("../../../../../bin/capstan.js", import.meta.url));
const startLimitMs = 15_000;
const stopLimitMs = 3_000;
const lookMs = 15;

/** plugin.ts, or plugin.js, else plugin.yaml. */
export async function openLocalPlugin(directory: string, io: Io): Promise<LocalPlugin> {
  const folder = resolve(directory);
  const program = ["plugin.ts", "plugin.js", "plugin.mjs"].find((name) => existsSync(join(folder, name)));
  if (program === undefined && !existsSync(join(folder, "plugin.yaml")))
    throw new UsageError(
      `${directory} holds neither plugin.ts nor plugin.yaml; begin one with: capstan plugin init ${directory}`,
    );
  const work = await mkdtemp(join(tmpdir(), "capstan-plugin-"));
  const sockets = join(work, "sockets");
  await mkdir(sockets);
  const plugin =
    program === undefined
      ? new CommandPlugin({ folder, work, sockets, io })
      : new ProgramPlugin({ folder, work, sockets, io }, join(folder, program));
  try {
    await plugin.start();
    return plugin;
  } catch (error) {
    await plugin[Symbol.asyncDispose]();
    throw error;
  }
}

interface Places {
  folder: string;
  work: string;
  sockets: string;
  io: Io;
}

/** plugin.ts in the kit's host, which stays and reads it again. */
class ProgramPlugin implements LocalPlugin {
  name = "";
  readonly sockets: string;
  readonly folder: string;
  readonly #places: Places;
  readonly #file: string;
  #child: ChildProcess | undefined;
  #answers: AsyncIterator<string> | undefined;

  constructor(places: Places, file: string) {
    this.#places = places;
    this.sockets = places.sockets;
    this.folder = places.folder;
    this.#file = file;
  }

  async start(): Promise<void> {
    const host = fileURLToPath(import.meta.resolve("@capstan/plugin-kit/host"));
    const { work, sockets, io } = this.#places;
    const child = spawn(process.execPath, [host, this.#file, sockets, join(work, "runs")], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, ...io.env },
    });
    child.stderr.on("data", (chunk: Buffer) => io.err(chunk.toString()));
    this.#child = child;
    this.#answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    await this.#answer();
  }

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
    if (isRecord(value) && typeof value.name === "string") this.name = value.name;
    else
      throw new ExitError(
        isRecord(value) ? String(value.problem) : `${this.#file}: the program ended before it served`,
        20,
      );
  }
}

/** plugin.yaml in the plugin server; its scripts are found on PATH. */
class CommandPlugin implements LocalPlugin {
  name = "";
  readonly sockets: string;
  readonly folder: string;
  readonly #places: Places;
  #child: ChildProcess | undefined;
  #text = "";

  constructor(places: Places) {
    this.#places = places;
    this.sockets = places.sockets;
    this.folder = places.folder;
  }

  async start(): Promise<void> {
    const { folder, work, sockets, io } = this.#places;
    const config = join(work, "config");
    await mkdir(config, { recursive: true });
    this.#text = await readFile(join(folder, "plugin.yaml"), "utf8");
    await copyFile(join(folder, "plugin.yaml"), join(config, "plugin.yaml"));
    const flags = ["--config-dir-path", config, "--socket-dir", sockets, "--work-dir", work];
    const env = { ...process.env, ...io.env };
    const child = spawn(process.execPath, [launcher, "plugin-server", ...flags], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...env, PATH: `${folder}:${env.PATH ?? ""}` },
    });
    this.#child = child;
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        if (said.length < 100_000) said += chunk.toString();
      });
    this.name = await untilSocket(sockets, { child, io }, () => said);
  }

  async reload(): Promise<void> {
    if ((await readFile(join(this.folder, "plugin.yaml"), "utf8")) === this.#text) return;
    if (this.#child) await stop(this.#child, this.#places.io);
    await this.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child) await stop(this.#child, this.#places.io);
    await rm(this.#places.work, { recursive: true, force: true });
  }
}

/** The plugin's name, which is that of the socket. */
async function untilSocket(
  sockets: string,
  { child, io }: { child: ChildProcess; io: Io },
  said: () => string,
): Promise<string> {
  const until = io.clock.now() + startLimitMs;
  while (io.clock.now() < until) {
    const socket = (await readdir(sockets)).find((name) => name.endsWith(".sock"));
    if (socket !== undefined) return socket.slice(0, -".sock".length);
    if (child.exitCode !== null) throw new ExitError(said().trim() || "the plugin server ended at once", 20);
    await io.clock.sleep(lookMs, io.signal);
  }
  throw new ExitError(`the plugin server does not listen after ${startLimitMs / 1000} s`, 20);
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
