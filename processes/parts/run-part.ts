import type { SettingsOverlay } from "@capstan/kube";
import { type Means, openMeans } from "../surroundings/open-means.ts";
import { openPluginSources, type PluginSources } from "../surroundings/open-plugin-sources.ts";
import { openOwnRepo } from "./open-own-repo.ts";
import type { LoopFlagValues, Part } from "./part-options.ts";
import { openRemoteRepo } from "./repo-access.ts";
import { runProgram } from "./run-program.ts";

export interface PartMeans extends Means {
  /** What the cluster says of plugins. */
  readonly plugins: PluginSources;
  /** ARGOCD_SYNC_WAVE_DELAY. */
  readonly waveDelayMs: number;
}

interface RunningPart extends Part {
  /** What its flags say over settings. */
  readonly overlay?: SettingsOverlay;
  /** Resolves when it works. */
  start(means: PartMeans): Promise<AsyncDisposable>;
}

/** A loop as a program of its own. */
export function runPart(
  part: RunningPart,
  flags: LoopFlagValues,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  return runProgram(part, { flags, env }, async (begun) => {
    const { kube, clock, log, signal } = begun;
    const options = { ...begun.options, overlay: joinOverlays(begun.options.overlay, part.overlay ?? {}) };
    const { namespace, waveDelayMs } = options;
    await using opened = new AsyncDisposableStack();
    const plugins = opened.use(await openPluginSources({ kube, namespace, clock, log }, signal));
    const remote = await openRemoteRepo(flags, begun);
    const own = remote ? undefined : opened.use(await openOwnRepo({ ...begun, plugins }));
    const repo = remote ? opened.use(remote) : own?.repo;
    if (!repo) throw new Error("there is no repo server");
    const means = opened.use(await openMeans({ ...begun, options, repo }));
    await own?.useSettings(means.settings);
    opened.use(await part.start({ ...means, plugins, waveDelayMs }));
    return opened.move();
  });
}

function joinOverlays(one: SettingsOverlay, other: SettingsOverlay): SettingsOverlay {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(names.map((name) => [name, { ...one[name], ...other[name] }]));
}
