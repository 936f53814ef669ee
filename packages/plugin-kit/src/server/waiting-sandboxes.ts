import type { Clock } from "@capstan/flow";
import { messageOf } from "@capstan/model";
import type { WaitingSandbox } from "../isolation/waiting-sandbox.ts";
import type { Log } from "../plugin.ts";
import type { ServedPlugin } from "../served-plugin.ts";
import type { WorkDirectories, WorkDirectory } from "./work-directories.ts";

/** Of all plugins and repositories together: three small processes each. */
const maxWaiting = 4;
const idleMs = 10 * 60_000;

export interface Waiting {
  readonly sandbox: WaitingSandbox;
  /** What the sandbox shows: an empty directory for the source, and the scratch. */
  readonly directory: WorkDirectory;
}

interface Entry extends Waiting {
  readonly plugin: ServedPlugin;
  readonly owner: number | undefined;
  readonly over: AbortController;
}

export interface WaitingSettings {
  readonly directories: WorkDirectories;
  readonly clock: Clock;
  readonly log: Log;
}

/** Sandboxes for the next runs, one for a plugin and a user: to start one takes longer than most commands do. */
export class WaitingSandboxes {
  readonly #settings: WaitingSettings;
  readonly #entries = new Set<Entry>();
  /** Those that are being started count as well. */
  readonly #starting = new Set<string>();

  constructor(settings: WaitingSettings) {
    this.#settings = settings;
  }

  /** The caller's from now on, with its directory. */
  take(plugin: ServedPlugin, owner: number | undefined): Waiting | undefined {
    const entry = [...this.#entries].find((one) => one.plugin === plugin && one.owner === owner);
    if (entry) this.#forget(entry);
    return entry;
  }

  /** Has one wait, unless one does. That it cannot be only costs time. */
  async refill(plugin: ServedPlugin, name: string, owner: number | undefined): Promise<void> {
    const key = JSON.stringify([name, owner]);
    const isThere = [...this.#entries].some((one) => one.plugin === plugin && one.owner === owner);
    if (isThere || this.#starting.has(key) || plugin.wait === undefined) return;
    this.#starting.add(key);
    try {
      await this.#start(plugin, owner);
    } catch (error) {
      this.#settings.log.debug(
        { plugin: name, error: messageOf(error) },
        "no sandbox waits for the next run",
      );
    } finally {
      this.#starting.delete(key);
    }
  }

  async #start(plugin: ServedPlugin, owner: number | undefined): Promise<void> {
    const { directories } = this.#settings;
    const directory = await directories.open(owner);
    const { root, scratch } = directory;
    const place = { root, scratch, base: directories.base, ...(owner === undefined ? {} : { owner }) };
    const sandbox = await plugin.wait?.(place).catch(async (error: unknown) => {
      await directory[Symbol.asyncDispose]();
      throw error;
    });
    if (!sandbox) return directory[Symbol.asyncDispose]();
    directory.keepUntil(sandbox.ended);
    const entry: Entry = { sandbox, directory, plugin, owner, over: new AbortController() };
    this.#entries.add(entry);
    const end = () => this.#end(entry);
    void sandbox.ended.then(end);
    this.#settings.clock.sleep(idleMs, entry.over.signal).then(end, () => undefined);
    for (const oldest of this.#entries) if (this.#entries.size > maxWaiting) this.#end(oldest);
  }

  /** Of one that waits still. */
  #end(entry: Entry): void {
    if (!this.#entries.has(entry)) return;
    this.#forget(entry);
    entry.sandbox[Symbol.dispose]();
    void entry.directory[Symbol.asyncDispose]();
  }

  #forget(entry: Entry): void {
    this.#entries.delete(entry);
    entry.over.abort(new Error("it no longer waits"));
  }
}
