import { rmSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock } from "@capstan/flow";
import { giveTo, type HeldEnd, HeldProcess } from "@capstan/plugin-kit";
import { refusal, sandboxCommand } from "@capstan/programs";

const worker = fileURLToPath(new URL("./app-worker.ts", import.meta.url));
const maxSpares = 4;
/** As renders' own folders are called: what a killed process leaves is cleared away with theirs. */
const namePrefix = "capstan-render-";

interface Spare {
  /** Where its application will stand: nothing else can be written. */
  readonly folder: string;
  readonly process: HeldProcess;
}

export interface WarmOptions {
  readonly searchPath: string;
  readonly clock: Clock;
  /** Under Node's own limits, which applications can leave, where no sandbox works; else they are refused there. */
  readonly mayRunOpenly: boolean;
}

/** Processes that have loaded cdk8s already, each for one run: no application sees what another left behind. */
export class WarmApps {
  /** By folder of modules, the longest unused first. */
  readonly #spares = new Map<string, Promise<Spare>>();
  readonly #folders = new Set<string>();

  constructor() {
    process.once("exit", () => {
      for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
    });
  }

  /** `lay` puts the application into the folder and gives the process its task; `read` takes what it made. */
  async run<Made>(
    modules: string,
    options: WarmOptions & { signal: AbortSignal },
    work: {
      lay(folder: string): Promise<object>;
      read(folder: string, end: HeldEnd): Promise<Made>;
    },
  ): Promise<Made> {
    const { folder, process: held } = await this.#take(modules, options);
    try {
      const task = await work.lay(folder);
      await shareOwner(folder);
      const end = await held.work(task, options.signal);
      return await work.read(folder, end);
    } finally {
      held.end();
      await this.#forget(folder);
      this.#keep(modules, options);
    }
  }

  async #take(modules: string, options: WarmOptions): Promise<Spare> {
    const spare = this.#spares.get(modules);
    this.#spares.delete(modules);
    const found = await spare?.catch(() => undefined);
    if (found?.process.isRunning) return found;
    if (found) await this.#forget(found.folder);
    return this.#start(modules, options);
  }

  #keep(modules: string, options: WarmOptions): void {
    if (this.#spares.has(modules)) return;
    const started = this.#start(modules, options);
    started.catch(() => this.#spares.delete(modules));
    this.#spares.set(modules, started);
    for (const [oldest, spare] of this.#spares) {
      if (this.#spares.size <= maxSpares) break;
      this.#spares.delete(oldest);
      spare.then(
        ({ folder, process: held }) => {
          held.end();
          return this.#forget(folder);
        },
        () => undefined,
      );
    }
  }

  async #start(modules: string, { searchPath, clock, mayRunOpenly }: WarmOptions): Promise<Spare> {
    const folder = await mkdtemp(join(tmpdir(), `${namePrefix}${process.pid}-`));
    this.#folders.add(folder);
    const args = ["--max-old-space-size=1024", "--no-warnings", worker, folder, modules];
    const readable = [modules, dirname(worker), dirname(process.execPath)];
    const node = { program: process.execPath, args, cwd: folder };
    const view = { own: [folder], readable, searchPath, clock, network: true };
    const sandboxed = await sandboxCommand(node, view);
    if (!sandboxed && !mayRunOpenly) throw await refusal("cdk8s", searchPath, clock);
    const command = sandboxed ?? { ...node, args: [...permissions(folder, readable), ...args] };
    return { folder, process: HeldProcess.start({ ...command, env: { PATH: searchPath, HOME: folder } }) };
  }

  async #forget(folder: string): Promise<void> {
    this.#folders.delete(folder);
    await rm(folder, { recursive: true, force: true });
  }
}

/** What was laid out belongs to whom the folder does: the application's process may be another user's. */
async function shareOwner(folder: string): Promise<void> {
  const { uid } = await stat(folder);
  if (process.getuid?.() === 0 && uid !== 0) await giveTo(uid, folder);
}

/**
 * Where bubblewrap does not work: Node's own limits. They stop mistakes, no attack: links are followed, `node:sqlite`
 * and `process.kill` reach what they like.
 */
function permissions(folder: string, readable: readonly string[]): string[] {
  const mayRead = [folder, ...readable].map((path) => `--allow-fs-read=${path}`);
  return ["--permission", ...mayRead, `--allow-fs-write=${folder}`];
}
