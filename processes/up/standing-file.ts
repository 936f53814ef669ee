import { open, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Standing, Standings } from "@capstan/controllers";
import type { Clock } from "@capstan/flow";
import type { Log } from "@capstan/plugin-kit";
import { programState } from "../surroundings/program-state.ts";

interface Input {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
}

/** Some 100,000 applications; a longer one is not read, and what goes beyond it not written. */
const maxBytes = 32 * 2 ** 20;
/** Of one application's record: its sources' keys, of 200 characters each. */
const maxRecord = 10_000;
/** However much changes, it is written no more often. */
const settleMs = 10_000;

/**
 * How applications were found, in `standing.json` of the data folder: digests and nothing else. It is disposable: a
 * damaged one, or one of another program, costs each application a comparison.
 */
export class StandingFile implements Standings, AsyncDisposable {
  readonly #input: Input;
  readonly #all: Map<string, Standing>;
  readonly #closing = new AbortController();
  #writing: Promise<void> | undefined;
  #isChanged = false;

  private constructor(input: Input, all: Map<string, Standing>) {
    this.#input = input;
    this.#all = all;
  }

  static async open(input: Input): Promise<StandingFile> {
    return new StandingFile(input, await readStandings(pathOf(input)));
  }

  get(app: string): Standing | undefined {
    return this.#all.get(app);
  }

  set(app: string, standing: Standing | undefined): void {
    const before = this.#all.get(app);
    if (before?.facts === standing?.facts && wordsOf(before) === wordsOf(standing)) return;
    if (standing && wordsOf(standing).length <= maxRecord) this.#all.set(app, standing);
    else this.#all.delete(app);
    this.#isChanged = true;
    this.#writing ??= this.#writeLater();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#writing;
    if (this.#isChanged) await this.#write();
  }

  async #writeLater(): Promise<void> {
    await this.#input.clock.sleep(settleMs, this.#closing.signal).catch(() => undefined); // it is written then
    if (!this.#closing.signal.aborted) await this.#write();
    this.#writing = undefined;
  }

  /** As a whole or not at all: a process that is killed leaves the former one. */
  async #write(): Promise<void> {
    this.#isChanged = false;
    const path = pathOf(this.#input);
    try {
      await writeFile(`${path}.new`, textOf(this.#all), { mode: 0o600 });
      await rename(`${path}.new`, path);
    } catch (error) {
      this.#input.log.warn(
        { error },
        "how applications were found cannot be kept: a restart compares them all",
      );
      await rm(`${path}.new`, { force: true }).catch(() => undefined); // there is no room for it either
    }
  }
}

const pathOf = ({ dataDir }: Input): string => join(dataDir, "standing.json");

/** A line each, so that the length is known as it grows. */
function textOf(all: ReadonlyMap<string, Standing>): string {
  const lines = [JSON.stringify({ program: programState() })];
  let length = lines[0]?.length ?? 0;
  for (const [app, { facts, keys }] of all) {
    const line = JSON.stringify([app, facts, ...keys.flatMap(({ id, inputs }) => [id, inputs])]);
    length += line.length + 1;
    if (length > maxBytes) break;
    lines.push(line);
  }
  return lines.join("\n");
}

async function readStandings(path: string): Promise<Map<string, Standing>> {
  const all = new Map<string, Standing>();
  try {
    const [head = "", ...lines] = (await readBounded(path)).split("\n");
    const { program } = Object(JSON.parse(head));
    if (program !== programState()) return all;
    for (const line of lines) {
      const found: unknown = JSON.parse(line);
      const [app, facts, ...words] = Array.isArray(found) && found.every(isText) ? found : [];
      if (app === undefined || facts === undefined) throw new Error("a line is no record");
      all.set(app, { facts, keys: keysOf(words) });
    }
    return all;
  } catch {
    return new Map(); // none yet, or none that can be used: all are compared
  }
}

function keysOf(words: readonly string[]): Standing["keys"] {
  const keys: Standing["keys"][number][] = [];
  for (let at = 0; at < words.length; at += 2)
    keys.push({ id: words[at] ?? "", inputs: words[at + 1] ?? "" });
  return keys;
}

function wordsOf(standing: Standing | undefined): string {
  return (standing?.keys ?? []).map(({ id, inputs }) => `${id} ${inputs}`).join();
}

const isText = (value: unknown): value is string => typeof value === "string";

async function readBounded(path: string): Promise<string> {
  await using file = await open(path);
  const { size } = await file.stat();
  if (size > maxBytes) throw new Error("it is too long");
  const text = Buffer.alloc(size);
  const { bytesRead } = await file.read(text, 0, size, 0);
  return text.toString("utf8", 0, bytesRead);
}
