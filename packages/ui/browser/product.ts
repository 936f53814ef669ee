import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
const repositoryRoot = join(import.meta.dirname, "..", "..", "..");
const startTries = 1_000;

/** `capstan up` as people run it, with its samples, in a folder of its own. */
export class Product implements AsyncDisposable {
  readonly url: string;
  readonly password: string;
  readonly #folder: string;
  readonly #process: ChildProcess;

  private constructor(facts: { url: string; password: string; folder: string; process: ChildProcess }) {
    this.url = facts.url;
    this.password = facts.password;
    this.#folder = facts.folder;
    this.#process = facts.process;
  }

  static async start(): Promise<Product> {
    const folder = await mkdtemp(join(tmpdir(), "capstan-product-"));
    const args = [
      join(repositoryRoot, "bin", "capstan.js"),
      "up",
      "--data",
      folder,
      "--port",
      "0",
      "--cluster-port",
      "0",
    ];
    const child = spawn(process.execPath, args, { stdio: "ignore" });
    for (let tries = 0; tries < startTries; tries++) {
      if (child.exitCode !== null) throw new Error(`capstan up ended with ${child.exitCode}`);
      const status = await readFile(join(folder, "status.json"), "utf8").catch(() => undefined);
      if (status !== undefined) {
        const password = (await readFile(join(folder, "admin-password"), "utf8")).trim();
        return new Product({ url: JSON.parse(status).url, password, folder, process: child });
      }
      await sleep(100);
    }
    child.kill();
    throw new Error(`capstan up did not write ${folder}/status.json`);
  }

  /** The sample repository, as an application names it. */
  get repository(): string {
    return `file://${this.#folder}/samples`;
  }

  /** Changes a file of the sample repository and commits it; answers the commit. */
  async commit(file: string, change: (text: string) => string): Promise<string> {
    const folder = join(this.#folder, "samples");
    await writeFile(join(folder, file), change(await readFile(join(folder, file), "utf8")));
    const identity = ["-c", "user.name=Mara", "-c", "user.email=mara@example.com"];
    await run("git", ["-C", folder, ...identity, "commit", "-qam", `Change ${file}`]);
    const { stdout } = await run("git", ["-C", folder, "rev-parse", "HEAD"]);
    return stdout.trim();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode === null) {
      const ended = once(this.#process, "exit");
      this.#process.kill("SIGTERM");
      await ended;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}
