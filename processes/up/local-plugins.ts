import { mkdir, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { growingPause } from "@capstan/flow";
import type { SettingsSource } from "@capstan/kube";
import { formerPluginsKey } from "@capstan/model";
import type { LocalPluginsSetup } from "../local-plugins.ts";
import type { PluginServerOptions } from "../plugin-server/options.ts";
import { watchFolders } from "../plugin-server/watch-folder.ts";
import { confineProgram } from "./confine-program.ts";
import { findSandbox } from "./find-sandbox.ts";
import { FormerPlugins } from "./former-plugins.ts";
import type { UpOptions } from "./options.ts";
import type { PluginAccount } from "./plugin-account.ts";
import { environmentOfPrograms, hasPrograms, ServedPrograms } from "./served-programs.ts";
import { endChild, startChild } from "./start-child.ts";
import type { SystemInput } from "./system-input.ts";

/** Unix permits about a hundred characters for a socket's whole name. */
const maxSocketFolder = 60;
const formerName = "argocd-cm";
const folderName = "definitions";
const restarts = { firstMs: 200, longestMs: 30_000 };
/** Loading takes a second; on a busy machine some. */
const serveLimitMs = 20_000;
const maxTreeBytes = 2 ** 30;
const maxTreeFiles = 200_000;
const maxMessageBytes = 100 * 2 ** 20;

interface Needs {
  settings: SettingsSource;
  account: PluginAccount;
}

/** Folders in which sockets appear as plugins do. */
export function localSocketFolders({ dataDir, plugins }: UpOptions): string[] {
  const names = plugins === undefined ? [formerName] : [formerName, folderName];
  return names.map((name) => socketFolder(dataDir, name));
}

/**
 * Plugins that Capstan serves itself: those of the folder `--plugins`, and those that argocd-cm defines in Argo CD's
 * former way. A process for each of the two, once there is one.
 */
export async function startLocalPlugins(input: SystemInput, needs: Needs): Promise<AsyncDisposable> {
  const { options, log } = input;
  await using opened = new AsyncDisposableStack();
  const { account } = needs;
  const folder = async (name: string, configDir: string): Promise<ServedFolder> => {
    const served = opened.use(new ServedFolder(input, { name, configDir, account }));
    await emptyFolder(served.socketDir);
    return served;
  };
  const configDir = join(options.dataDir, "plugins", formerName);
  const former = opened.use(new FormerPlugins(await folder(formerName, configDir), { configDir, log }));
  if (options.plugins !== undefined) {
    const definitions = await folder(folderName, options.plugins);
    const programs = opened.use(
      new ServedPrograms(
        options.plugins,
        (program) => new ServedFolder(input, { ...definitions.from, program }),
      ),
    );
    await programs.look();
    definitions.start();
    const means = { clock: input.clock, signal: input.signal };
    void watchFolders(options.plugins, means, () => programs.look()).catch((error: unknown) => {
      if (!input.signal.aborted)
        log.error({ error, folder: options.plugins }, "changes of the plugins' folder are not seen");
    });
    await Promise.all([definitions, ...programs.served].map((one) => one.whenServed(input.signal)));
  }
  const read = (): void => former.update(needs.settings.current.general.raw[formerPluginsKey] ?? "");
  read();
  opened.defer(needs.settings.onChange(read));
  return opened.move();
}

/** Sockets that a former process left. The folder itself stays: the repo server's sandbox shows this very one. */
async function emptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
}

interface From {
  /** Of the folder of sockets. */
  readonly name: string;
  readonly configDir: string;
  readonly account: PluginAccount;
  /** A plugin in TypeScript alone, in place of the definitions of `configDir`. */
  readonly program?: string;
}

/** A folder of definitions, or a program, and a plugin server for it, which is a process of its own. */
class ServedFolder implements AsyncDisposable {
  readonly socketDir: string;
  readonly #input: SystemInput;
  readonly from: From;
  readonly #served = Promise.withResolvers<void>();
  #running: { stop: AbortController; done: Promise<void> } | undefined;

  constructor(input: SystemInput, from: From) {
    this.#input = input;
    this.from = from;
    this.socketDir = socketFolder(input.options.dataDir, from.name);
  }

  start(): void {
    if (this.#running) return;
    const stop = new AbortController();
    const { log, signal } = this.#input;
    const done = this.#serve(AbortSignal.any([signal, stop.signal])).catch((error: unknown) => {
      if (!stop.signal.aborted && !signal.aborted)
        log.error({ error, folder: this.from.configDir }, "the plugins of this folder cannot be served");
      this.#running = undefined;
    });
    this.#running = { stop, done };
  }

  /** Until its plugins answer, for the first time; not for ever, and not when they cannot. */
  async whenServed(signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const limited = AbortSignal.any([signal, over.signal]);
    const tooLong = this.#input.clock.sleep(serveLimitMs, limited).catch(() => undefined); // it is served
    await Promise.race([this.#served.promise, this.#running?.done, tooLong]);
    over.abort(new Error("it is served"));
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    running?.stop.abort(new Error("stopped"));
    await running?.done;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #serve(signal: AbortSignal): Promise<void> {
    const { log, clock } = this.#input;
    const { configDir, account, program } = this.from;
    const folder = program ?? configDir;
    await mkdir(this.socketDir, { recursive: true, mode: 0o700 });
    const given = { KUBECONFIG: await account.kubeconfig(signal) };
    const hidden = [this.#input.options.dataDir];
    const setup: LocalPluginsSetup = { flags: this.#flags(), given, hidden, ...(program ? { program } : {}) };
    // A program has what the commands of a plugin get, and nothing of Capstan's.
    const own = { ...environmentOfPrograms(), ...given };
    const { before, env } =
      program === undefined
        ? { before: [], env: process.env }
        : { before: await this.#confined(program, own), env: own };
    let failures = 0;
    while (!signal.aborted) {
      const started = clock.now();
      const child = startChild(["local-plugins", JSON.stringify(setup)], { before, env });
      const end = (): void => void endChild(child, clock);
      signal.addEventListener("abort", end, { once: true });
      child.stream.once("data", () => this.#served.resolve());
      const { how } = await child.ended;
      this.#served.resolve();
      signal.removeEventListener("abort", end);
      if (signal.aborted) return;
      failures = clock.now() - started > restarts.longestMs ? 1 : failures + 1;
      const againInMs = growingPause(failures, restarts);
      log.warn({ folder, how, againInMs }, "the server of local plugins ended and is started again");
      await clock.sleep(againInMs, signal).catch(() => undefined); // it is stopping
    }
  }

  async #confined(
    program: string,
    env: Record<string, string> & { KUBECONFIG: string },
  ): Promise<readonly string[]> {
    const { clock, signal, log, options } = this.#input;
    const probed = await findSandbox(clock, signal);
    if ("why" in probed)
      log.warn(
        { program, why: probed.why },
        "this plugin's program runs without a sandbox: it sees what this user sees",
      );
    const { dataDir } = options;
    const { socketDir } = this;
    return confineProgram(probed, { program, socketDir, kubeconfig: env.KUBECONFIG, dataDir, env });
  }

  #flags(): PluginServerOptions {
    const { options } = this.#input;
    return {
      configDir: this.from.configDir,
      mayLack: hasPrograms(this.from.configDir),
      socketDir: this.socketDir,
      workDir: join(tmpdir(), `_cmp_server-${process.pid}-${this.from.name}`),
      listen: undefined,
      tls: {},
      tokenFile: undefined,
      anyoneMayCall: false,
      wholeEnvironment: false,
      network: false,
      metricsPort: undefined,
      logFormat: options.logFormat,
      logLevel: options.logLevel,
      maxTreeBytes,
      maxTreeFiles,
      maxMessageBytes,
      execTimeoutMs: undefined,
    };
  }
}

function socketFolder(dataDir: string, name: string): string {
  const own = join(dataDir, "plugins", "sockets", name);
  return own.length <= maxSocketFolder ? own : join(tmpdir(), `capstan-${process.pid}`, name);
}
