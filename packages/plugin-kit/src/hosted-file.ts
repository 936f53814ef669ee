import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Clock, once } from "@capstan/flow";
import { messageOf } from "@capstan/model";
import { resolveAuthorFiles } from "./author/author-files.ts";
import { authorPlace } from "./author/author-place.ts";
import { isDefined, notDefined } from "./author/is-defined.ts";
import { takeOver } from "./author/serve-plugin.ts";
import { servedPlugin } from "./author/served.ts";
import { unchanging } from "./follow-files.ts";
import type { Isolation } from "./isolation/probe-isolation.ts";
import { visiblePrograms } from "./isolation/visible-programs.ts";
import { callName, type ServedPlugin } from "./served-plugin.ts";
import { PluginServer } from "./server/plugin-server.ts";
import { pluginService } from "./server/plugin-service.ts";
import { RunQueue } from "./server/run-queue.ts";
import type { WorkDirectories } from "./server/work-directories.ts";
import { commandPlugin } from "./sidecar/command-plugin.ts";
import { readPluginFile } from "./sidecar/plugin-file.ts";
import type { ProgramStarter } from "./start-program.ts";

/** What a plugin.yaml needs besides. */
export interface HostedCommands {
  /** PATH of its commands. */
  readonly path: string;
  readonly starter: ProgramStarter;
  /** What keeps them apart, tried since the program began. */
  readonly apart: Promise<Omit<Isolation, "strace" | "whyNoTrace">>;
  /** Tries whether what they read can be observed. */
  trace(): Promise<Pick<Isolation, "strace" | "whyNoTrace">>;
}

interface HostedParts {
  /** A program, or where there are commands a plugin.yaml. */
  readonly file: string;
  readonly socketFolder: string;
  /** HOST:PORT where it is served too; with certificate, key and token. */
  readonly address: string | undefined;
  readonly tlsFiles: readonly string[];
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string>>;
  readonly directories: WorkDirectories;
  readonly commands?: HostedCommands;
}

/** What is served, or what is wrong with the file. */
interface HostedAnswer {
  readonly name?: string;
  readonly address?: string;
  readonly problem?: string;
  /** What is odd about the plugin's file. */
  readonly warnings?: readonly string[];
}

/** For programs that lead to Capstan's own. */
const capstanFolder = join(import.meta.dirname, "..", "..", "..");
const maxOutputBytes = 100 * 2 ** 20;
const maxStderrBytes = 2 ** 20;
const limits = { maxTreeBytes: 2 ** 30, maxTreeFiles: 200_000 };
const ignore = () => undefined;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** The plugin of one file, served as the file was when it was read last. */
export class HostedFile implements AsyncDisposable {
  readonly #parts: HostedParts;
  readonly #server: PluginServer;
  readonly #folder: string;
  readonly #trace: HostedCommands["trace"] | undefined;
  #generation = 0;
  /** Of plugin.yaml as it was read last. */
  #warnings: readonly string[] = [];

  static async open(parts: HostedParts): Promise<HostedFile> {
    const { clock, directories, tlsFiles } = parts;
    const [certificate, key, token] = await Promise.all(tlsFiles.map((one) => readFile(one, "utf8")));
    const services = { clock, log, limits, directories, queue: new RunQueue(100) };
    const server = await PluginServer.start([], {
      ...services,
      version: "",
      maxMessageBytes: maxOutputBytes,
      ...(certificate && key ? { tls: unchanging({ certificate, key }) } : {}),
      ...(token ? { token: unchanging(token.trim()) } : {}),
      pluginService: (plugins) => pluginService(plugins, services),
    });
    takeOver();
    return new HostedFile(parts, server);
  }

  private constructor(parts: HostedParts, server: PluginServer) {
    this.#parts = parts;
    this.#server = server;
    this.#folder = dirname(resolve(parts.file));
    this.#trace = parts.commands && once(parts.commands.trace);
    resolveAuthorFiles(this.#folder, () => this.#generation);
  }

  /** Each generation listens at a new socket: whoever asks it knows that it is another plugin. */
  async load(): Promise<HostedAnswer> {
    const { file, socketFolder, address, commands } = this.#parts;
    this.#generation += 1;
    try {
      const plugin = await (commands ? this.#readCommands(commands) : this.#readProgram());
      const socket = `unix://${join(socketFolder, `plugin-${process.pid}-${this.#generation}.sock`)}`;
      const placed = [socket, ...(address === undefined ? [] : [address])];
      await this.#server.replace(placed.map((one) => ({ plugin, address: one })));
      const listening = this.#server.addresses.find((one) => !one.startsWith("unix:"));
      const name = callName(await plugin.describe());
      return { name, warnings: this.#warnings, ...(listening ? { address: listening } : {}) };
    } catch (error) {
      const problem = messageOf(error);
      const place = authorPlace(error, this.#folder);
      const where = place === undefined ? file : join(this.#folder, place);
      return { problem: problem.includes(file) ? problem : `${where}: ${problem}` };
    }
  }

  /** Finds out what a first run would have to wait for. */
  prepareRun(): void {
    const { commands } = this.#parts;
    if (commands) visiblePrograms(commands.path);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server[Symbol.asyncDispose]();
  }

  async #readProgram(): Promise<ServedPlugin> {
    const { file, clock, env } = this.#parts;
    const loaded: { default?: unknown } = await import(pathToFileURL(resolve(file)).href);
    const { default: plugin } = loaded;
    if (!isDefined(plugin)) throw new Error(notDefined);
    return servedPlugin(plugin, { clock, env, folder: this.#folder, program: this.#reading });
  }

  /** Its identity changes with every reading, since a script may have changed and not the file. */
  async #readCommands({ path, starter, apart }: HostedCommands): Promise<ServedPlugin> {
    const { file, clock, env } = this.#parts;
    const [first] = await readPluginFile(file);
    if (!first) throw new Error("it holds no ConfigManagementPlugin");
    const { config, warnings } = first;
    this.#warnings = warnings;
    const observes = config.spec.inputs?.observe === true;
    const isolation = { ...(await apart), ...(observes ? await this.#trace?.() : {}) };
    const served = commandPlugin(config, {
      ...{ clock, env: { ...env, PATH: path }, maxOutputBytes, maxStderrBytes, isolation, starter },
      readable: [this.#folder, process.execPath, capstanFolder],
    });
    const own = this.#reading;
    return {
      ...served,
      describe: async () => {
        const told = await served.describe();
        return { ...told, digest: hash("sha256", `${told.digest} ${own}`) };
      },
    };
  }

  get #reading(): string {
    return `${process.pid} ${this.#generation}`;
  }
}
