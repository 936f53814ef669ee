import { type FSWatcher, realpathSync, watch } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { stringifyJson } from "@capstan/formats";
import { type Manifest, messageOf } from "@capstan/model";
import type { ExplainedRender, PluginDevState, RenderExplanation } from "@capstan/wire";
import type { Io } from "../../io.ts";
import { countChanges, manifestDiff } from "../../output/manifest-diff.ts";
import { painter } from "../../output/paint.ts";
import { type LocalApp, type LocalFlagValues, readLocalApp } from "./local-app.ts";
import { type LocalPlugin, markPrinted } from "./local-plugin.ts";
import type { LocalRender } from "./local-render.ts";
import { problemWith } from "./manifest-problems.ts";

/** Editors write in several steps. */
const quietMs = 20;
const maxStderr = 200_000;

interface SessionParts {
  plugin: LocalPlugin;
  renderer: LocalRender;
  /** Folder that stands for the repository. */
  folder: string;
  flags: LocalFlagValues;
  attached: string | undefined;
  io: Io;
  show(state: PluginDevState): void;
}

/** What was made last, against which the next render is shown. */
export class DevSession {
  readonly #parts: SessionParts;
  #before: readonly Manifest[] = [];
  #render: ExplainedRender | undefined;
  #app: LocalApp | undefined;
  #stderr = "";
  /** The plugin could not be loaded, or has ended: it is tried again at any change. */
  #isBroken = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** What the plugin writes to standard error while it renders. */
  hear(text: string): void {
    const { io } = this.#parts;
    io.err(painter(io)("dim", markPrinted(text)));
    if (this.#stderr.length < maxStderr) this.#stderr += text;
  }

  /**
   * Renders and prints; false when that failed. `isPluginChanged`: the plugin is loaded again. Aborting `newer` gives it
   * up, since something else has been saved.
   */
  async render(
    because: string,
    { isPluginChanged = false, newer }: { isPluginChanged?: boolean; newer?: AbortSignal } = {},
  ): Promise<boolean> {
    const { plugin, renderer, flags, io } = this.#parts;
    const started = io.clock.now();
    const paint = painter(io);
    const signal = newer ? AbortSignal.any([io.signal, newer]) : io.signal;
    this.#stderr = "";
    try {
      if (isPluginChanged || this.#isBroken) {
        this.#isBroken = true;
        await plugin.reload(signal);
        this.#isBroken = false;
      }
      this.#app = await readLocalApp(flags, { plugin: plugin.name, io });
      const result = await renderer.render(this.#app, signal);
      const after = result.stages.at(-1)?.manifests ?? [];
      io.out(manifestDiff(this.#before, after, { names: ["before", "now"], paint }));
      const counts = countChanges(this.#before, after) || "nothing changed";
      const count = after.length === 1 ? "1 manifest" : `${after.length} manifests`;
      const ms = io.clock.now() - started;
      const split = `${Math.round(ms)} ms (${timeSplit(result)})`;
      const problem = problemWith(after);
      const [mark, said] =
        problem === undefined ? [paint("green", "✓"), counts] : [paint("red", "✕"), problem];
      io.out(`${mark} ${because}: ${said} · ${count} · ${split}\n`);
      this.#render = explained(result);
      this.#show(because, { started, problem });
      this.#before = after;
      return problem === undefined;
    } catch (error) {
      io.signal.throwIfAborted();
      const problem = await this.#whyNot(error, newer);
      io.out(`${paint("red", "✕")} ${because}: ${problem}\n`);
      // What comes next is shown in a moment.
      if (!newer?.aborted) this.#show(because, { started, problem });
      return false;
    }
  }

  /** A plugin that has ended, or does not end what it does, is one to be started anew. */
  async #whyNot(error: unknown, newer: AbortSignal | undefined): Promise<string> {
    const { plugin } = this.#parts;
    if (newer?.aborted) await plugin.endIfStuck();
    const ending = await plugin.ending(error);
    if (ending !== undefined) this.#isBroken = true;
    return newer?.aborted ? "given up: there is a newer save" : (ending ?? messageOf(error));
  }

  #show(because: string, { started, problem }: { started: number; problem?: string | undefined }): void {
    const { plugin, folder, io, attached, show } = this.#parts;
    const at = io.clock.now();
    show({
      plugin: plugin.name,
      watched: [plugin.folder, folder],
      application: this.#app?.appName ?? "",
      path: this.#app?.source.path ?? ".",
      because,
      at,
      ms: at - started,
      before: this.#before.map((manifest) => stringifyJson(manifest)),
      stderr: this.#stderr,
      ...(problem === undefined ? {} : { problem }),
      ...(this.#render ? { render: this.#render } : {}),
      ...(attached === undefined ? {} : { attached }),
    });
  }

  /** Until Ctrl-C. A change while one is rendered gives that up. */
  async watch(): Promise<void> {
    const { io, plugin, folder, flags } = this.#parts;
    const changed = new Map<string, boolean>();
    let wake = Promise.withResolvers<void>();
    let newer = new AbortController();
    const places = [...new Set([plugin.folder, folder].map((one) => realpathSync(one)))];
    const own = places[0] ?? "";
    const watchers = places.map((place) =>
      watchPlace(place, (name) => {
        const owner = ownerOf(join(place, name), places);
        if (owner !== place) return;
        changed.set(name, place === own || (changed.get(name) ?? false));
        wake.resolve();
        newer.abort();
      }),
    );
    if (flags.app !== undefined) {
      const file = flags.app;
      const onFile = () => {
        changed.set(file, false);
        wake.resolve();
        newer.abort();
      };
      watchers.push(watchFile(file, onFile));
    }
    io.signal.addEventListener("abort", () => wake.resolve(), { once: true });
    try {
      while (!io.signal.aborted) {
        await wake.promise;
        if (io.signal.aborted) return;
        await io.clock.sleep(quietMs, io.signal);
        wake = Promise.withResolvers();
        if (io.signal.aborted) wake.resolve();
        const [names, isPluginChanged] = [[...changed.keys()], [...changed.values()].includes(true)];
        changed.clear();
        newer = new AbortController();
        await this.render(names.join(", "), { isPluginChanged, newer: newer.signal });
      }
    } catch (error) {
      if (!io.signal.aborted) throw error;
    } finally {
      for (const watcher of watchers) watcher.close();
    }
  }
}

/** The innermost of the watched folders: sources may stand in the plugin's own, as its test data does. */
function ownerOf(path: string, places: readonly string[]): string | undefined {
  const within = places.filter((place) => path.startsWith(`${place}/`));
  return within.sort((left, right) => right.length - left.length)[0];
}

function watchPlace(place: string, onChange: (name: string) => void): FSWatcher {
  return watch(place, { recursive: true }, (_event, name) => {
    if (name !== null && !/(^|\/)(\.git|node_modules)(\/|$)|~$|\.sw[px]$/.test(name)) onChange(name);
  });
}

/** By its folder, since editors put another file in its place. */
function watchFile(file: string, onChange: () => void): FSWatcher {
  return watch(dirname(resolve(file)), (_event, name) => {
    if (name === basename(file)) onChange();
  });
}

function explained({ stages, ...rest }: RenderExplanation): ExplainedRender {
  return {
    ...rest,
    stages: stages.map((stage) => ({
      ...stage,
      manifests: stage.manifests.map((one) => stringifyJson(one)),
    })),
  };
}

function timeSplit({ timings, stages }: RenderExplanation): string {
  const { queueMs, fetchMs, chooseMs, transferMs } = timings;
  const parts = [
    ["queue", queueMs],
    ["files", fetchMs],
    ["choose", chooseMs],
    ["transfer", transferMs],
    ...stages.map(({ name, ms }) => [name, ms] as const),
  ] as const;
  return parts
    .filter(([, ms]) => ms >= 0.5)
    .map(([name, ms]) => `${name} ${Math.round(ms)}`)
    .join(", ");
}
