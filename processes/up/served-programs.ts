import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { commandEnvironment } from "@capstan/plugin-kit";

const names = "{plugin.ts,plugin.js,plugin.mjs}";

interface ServedProgram extends AsyncDisposable {
  start(): void;
  stop(): Promise<void>;
  whenServed(signal: AbortSignal): Promise<void>;
}

/** Plugins in TypeScript of a folder and of the folders in it, each served by a process of its own. */
export class ServedPrograms implements AsyncDisposable {
  readonly #folder: string;
  readonly #open: (program: string) => ServedProgram;
  readonly #running = new Map<string, { served: ServedProgram; state: string }>();
  #looking: Promise<void> = Promise.resolve();

  constructor(folder: string, open: (program: string) => ServedProgram) {
    this.#folder = folder;
    this.#open = open;
  }

  get served(): readonly ServedProgram[] {
    return [...this.#running.values()].map(({ served }) => served);
  }

  /** Serves those that are new, again those whose files changed, no more those that are gone. */
  look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look());
    return this.#looking;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#looking;
    await Promise.all(this.served.map((one) => one.stop()));
  }

  async #look(): Promise<void> {
    const found = findPrograms(this.#folder);
    for (const [program, { served }] of this.#running)
      if (!found.includes(program)) {
        this.#running.delete(program);
        await served.stop();
      }
    for (const program of found) {
      const state = stateOf(program);
      const running = this.#running.get(program);
      if (running?.state === state) continue;
      await running?.served.stop();
      const served = running?.served ?? this.#open(program);
      served.start();
      this.#running.set(program, { served, state });
    }
  }
}

export function hasPrograms(folder: string): boolean {
  return findPrograms(folder).length > 0;
}

/** Of this process's environment what a plugin's program gets. */
export function environmentOfPrograms(): Record<string, string> {
  const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]));
  return commandEnvironment(env, { whole: false, network: true });
}

function findPrograms(folder: string): string[] {
  return globSync(`{.,*}/${names}`, { cwd: folder })
    .map((name) => join(folder, name))
    .sort();
}

/** Changes with the files beside a program. */
function stateOf(program: string): string {
  const files = globSync(join(program, "..", "*.{ts,js,mjs,json,yaml}"));
  return files
    .map((file) => statSync(file, { throwIfNoEntry: false }))
    .map((found) => `${found?.ino} ${found?.size} ${found?.mtimeMs}`)
    .join();
}
