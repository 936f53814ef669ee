import { type FSWatcher, watch } from "node:fs";
import { type Manifest, messageOf } from "@capstan/model";
import type { RenderExplanation } from "@capstan/wire";
import { defineCommand } from "../../command.ts";
import type { Io } from "../../io.ts";
import { countChanges, manifestDiff } from "../../output/manifest-diff.ts";
import { painter } from "../../output/paint.ts";
import { type LocalApp, type LocalFlagValues, localFlags, readLocalApp } from "./local-app.ts";
import { type LocalPlugin, openLocalPlugin } from "./local-plugin.ts";
import { type LocalRender, openLocalRender } from "./local-render.ts";

/** Editors write in several steps. */
const quietMs = 20;

export default defineCommand({
  usage: "[DIR]",
  help: "Render a folder again whenever it or the plugin changes, and show what differs.",
  examples: [
    "capstan plugin dev --source ../deployments --path apps/web",
    "capstan plugin dev ./my-plugin --app application.yaml --source . --plugin-parameter replicas=3",
  ],
  argument: "file",
  arity: [0, 1],
  flags: {
    ...localFlags,
    once: { kind: "boolean", help: "Render once and end; exit code 1 when that fails" },
  },
  async run({ args: [directory = "."], flags, io }) {
    await using opened = new AsyncDisposableStack();
    const plugin = opened.use(await openLocalPlugin(directory, io));
    const app = await readLocalApp(flags, plugin.name, io);
    const onStderr = (text: string) => io.err(painter(io)("dim", text.endsWith("\n") ? text : `${text}\n`));
    const { sockets } = plugin;
    const renderer = opened.use(
      await openLocalRender({ io, folder: app.folder, url: app.source.repoURL, sockets, onStderr }),
    );
    const session = new Session({ plugin, renderer, flags, io });
    const isGood = await session.render("start");
    if (flags.once) return isGood ? 0 : 1;
    io.err(`watching ${plugin.folder} and ${app.folder}; Ctrl-C ends\n`);
    await session.watch([plugin.folder, app.folder, ...(flags.app === undefined ? [] : [flags.app])]);
    return 0;
  },
});

interface SessionParts {
  plugin: LocalPlugin;
  renderer: LocalRender;
  flags: LocalFlagValues;
  io: Io;
}

/** What was made last, against which the next render is shown. */
class Session {
  readonly #parts: SessionParts;
  #before: readonly Manifest[] = [];
  /** The plugin could not be loaded: it is tried again at any change. */
  #isBroken = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** Renders and prints; false when that failed. The plugin is loaded again when its folder is among `changed`. */
  async render(because: string, changed: readonly string[] = []): Promise<boolean> {
    const { plugin, renderer, flags, io } = this.#parts;
    const started = io.clock.now();
    const paint = painter(io);
    try {
      if (changed.includes(plugin.folder) || this.#isBroken) {
        this.#isBroken = true;
        await plugin.reload();
        this.#isBroken = false;
      }
      const app: LocalApp = await readLocalApp(flags, plugin.name, io);
      const result = await renderer.render(app);
      const after = result.stages.at(-1)?.manifests ?? [];
      const names = ["before", "now"] as const;
      const diff = manifestDiff(this.#before, after, { names, paint });
      io.out(diff);
      const counts = countChanges(this.#before, after) || "nothing changed";
      const took = `${Math.round(io.clock.now() - started)} ms`;
      io.out(
        `${paint("green", "✓")} ${because}: ${counts} · ${after.length} manifests · ${took} (${split(result)})\n`,
      );
      this.#before = after;
      return true;
    } catch (error) {
      io.signal.throwIfAborted();
      io.out(`${paint("red", "✕")} ${because}: ${messageOf(error)}\n`);
      return false;
    }
  }

  /** Until Ctrl-C. Changes while one is rendered are rendered after it. */
  async watch(places: readonly string[]): Promise<void> {
    const { io } = this.#parts;
    const waiting = new Map<string, string>();
    let wake = Promise.withResolvers<void>();
    const watchers = places.map((place) =>
      watchPlace(place, (name) => {
        waiting.set(place, name);
        wake.resolve();
      }),
    );
    io.signal.addEventListener("abort", () => wake.resolve(), { once: true });
    try {
      while (!io.signal.aborted) {
        await wake.promise;
        if (io.signal.aborted) return;
        await io.clock.sleep(quietMs, io.signal);
        wake = Promise.withResolvers();
        if (io.signal.aborted) wake.resolve();
        const [changed, names] = [[...waiting.keys()], [...waiting.values()]];
        waiting.clear();
        await this.render(names.join(", "), changed);
      }
    } catch (error) {
      if (!io.signal.aborted) throw error;
    } finally {
      for (const watcher of watchers) watcher.close();
    }
  }
}

function watchPlace(place: string, onChange: (name: string) => void): FSWatcher {
  return watch(place, { recursive: true }, (_event, name) => {
    const file = name ?? place;
    if (!/(^|\/)(\.git|node_modules)(\/|$)|~$|\.sw[px]$/.test(file)) onChange(file);
  });
}

function split({ timings, stages }: RenderExplanation): string {
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
