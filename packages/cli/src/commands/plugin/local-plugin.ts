import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { deadline } from "@capstan/flow";
import { isCapstanError } from "@capstan/model";
import { ExitError, type ServerCertificate } from "../../command.ts";
import type { Io } from "../../io.ts";
import { findPluginFile } from "./plugin-file.ts";
import { type HostAnswer, PluginHost } from "./plugin-host.ts";

/** How long a program that is not busy takes to read a plugin again, at most. */
const stuckMs = 3_000;

interface Places {
  /** plugin.ts or plugin.yaml. */
  file: string;
  folder: string;
  work: string;
  sockets: string;
  served: ServedToo | undefined;
  io: Io;
  onOutput(text: string): void;
}

export interface LocalPluginOptions {
  readonly served?: ServedToo | undefined;
  /** Hears what the plugin prints; default standard error, marked. */
  onOutput?(text: string): void;
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
export async function openLocalPlugin(
  directory: string,
  io: Io,
  { served, onOutput = (text) => io.err(markPrinted(text)) }: LocalPluginOptions = {},
): Promise<LocalPlugin> {
  const folder = resolve(directory);
  const file = findPluginFile(folder, directory);
  // The program is started before anything is waited for.
  const work = mkdtempSync(join(tmpdir(), "capstan-plugin-"));
  const sockets = join(work, "sockets");
  mkdirSync(sockets);
  const plugin = new LocalPlugin({ file, folder, work, sockets, served, io, onOutput });
  try {
    await plugin.start(io.signal);
    return plugin;
  } catch (error) {
    await plugin[Symbol.asyncDispose]();
    throw error;
  }
}

/** Each line of what a plugin prints, told apart from what Capstan says. */
export function markPrinted(text: string): string {
  return text
    .replace(/\n?$/, "\n")
    .replace(/^/gm, "plugin | ")
    .replace(/plugin \| $/, "");
}

/** A plugin of a directory of this machine, served on a socket as it will be in a cluster, by the kit's host. */
export class LocalPlugin implements AsyncDisposable {
  /** The name that applications use. */
  name = "";
  /** Where it is served besides its socket, with the port that was taken. */
  address: string | undefined;
  readonly #places: Places;
  #host: PluginHost | undefined;
  #warnings = "";

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

  async start(signal: AbortSignal): Promise<void> {
    const { file, work, sockets, served, io, onOutput } = this.#places;
    // What a host that was killed has left: nobody answers there any more.
    for (const name of readdirSync(sockets)) rmSync(join(sockets, name), { force: true });
    const again = served && { ...served, listen: this.address ?? served.listen };
    const args = [file, sockets, join(work, "runs"), ...(again ? await argumentsOf(again, work) : [])];
    const env = { ...process.env, ...io.env };
    this.#host = new PluginHost({ args, env, clock: io.clock, onOutput });
    this.#take(await this.#host.answer(signal));
  }

  /** Takes what the directory holds now; rejects with what is wrong with it. A program that has ended is started anew. */
  async reload(signal: AbortSignal): Promise<void> {
    if (this.#host?.isUsable) this.#take(await this.#host.reload(signal));
    else {
      await this.#host?.kill();
      await this.start(signal);
    }
  }

  /**
   * Whether its program still hears: one that is in an endless loop does not, and is ended, so that the next `reload`
   * starts it anew.
   */
  async endIfStuck(): Promise<void> {
    const { io } = this.#places;
    const host = this.#host;
    if (!host?.isUsable) return;
    const late = () => new Error("it does not answer");
    using limited = deadline({ clock: io.clock, signal: io.signal, ms: stuckMs, late });
    try {
      await host.reload(limited.signal);
    } catch {
      io.signal.throwIfAborted();
      await host.kill();
    }
  }

  /** That its program has ended, where this is why something failed. */
  async ending(error: unknown): Promise<string | undefined> {
    const host = this.#host;
    if (!host) return undefined;
    const hasEnded = isCapstanError(error, "PLUGIN_UNREACHABLE") ? await host.hasEnded() : !host.isUsable;
    return hasEnded ? host.howItEnded() : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#host?.end();
    // What a killed program had open may come again while it ends.
    await rm(this.#places.work, { recursive: true, force: true, maxRetries: 5 });
  }

  #take({ name, address, problem, warnings = [] }: HostAnswer): void {
    const said = warnings.map((line) => `warning: ${this.#places.file}: ${line}\n`).join("");
    if (said !== this.#warnings) this.#places.io.err(said);
    this.#warnings = said;
    if (name === undefined) throw new ExitError(problem ?? `${this.#places.file} serves nothing`, 20);
    this.name = name;
    if (address !== undefined) this.address = address;
  }
}

async function argumentsOf({ listen, tls, token }: ServedToo, work: string): Promise<string[]> {
  const [certificate, key, tokenFile] = [join(work, "tls.crt"), join(work, "tls.key"), join(work, "token")];
  await writeFile(tokenFile, token, { mode: 0o600 });
  await writeFile(certificate, tls.certificate);
  await writeFile(key, tls.key, { mode: 0o600 });
  return [listen, certificate, key, tokenFile];
}
