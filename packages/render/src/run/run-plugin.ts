import { hash } from "node:crypto";
import { type Clock, deadline } from "@capstan/flow";
import { CapstanError, canonicalJson } from "@capstan/model";
import {
  type Command,
  type Elsewhere,
  type Generated,
  type GeneratedManifest,
  type Inputs,
  type Log,
  type Observed,
  type Plugin,
  type ProgramStarter,
  type RenderContext,
  runCommand,
  type SourceTree,
  type Stage,
} from "@capstan/plugin-kit";
import type { RenderedManifest } from "@capstan/wire";
import type { LaterWork } from "../cache/later-work.ts";
import type { Rendering } from "../cache/manifest-cache.ts";
import { markSecrets } from "./mask-values.ts";
import { refuseHuge, refuseTooMany } from "./refuse-huge.ts";
import { DiskWorkspace, type WorkspaceLimits } from "./workspace.ts";

export interface RunOptions {
  clock: Clock;
  log: Log;
  env: Readonly<Record<string, string>>;
  limits: WorkspaceLimits & { timeoutMs: number; runTimeoutMs: number; maxOutputBytes: number };
  /** Who starts programs; absent: this process. */
  starter?: ProgramStarter;
  later: LaterWork;
}

/** One run: on what, and what it may use. */
export interface RunWork extends Elsewhere, Pick<Stage, "inputs" | "refresh" | "credentials" | "note"> {
  context: RenderContext;
}

export interface Run {
  rendering: Rendering;
  bytes: number;
  /** Spent waiting in a queue of the plugin's own. */
  queueMs: number;
  /** Spent on bringing the inputs to where the plugin reads them. */
  transferMs: number;
  ms: number;
  observed?: Observed;
  stages?: Generated["stages"];
}

/** Alone it would make an empty render of every source. */
function requireGenerate({ name, generate, transform }: Plugin): void {
  if (generate) return;
  const does = transform ? "changes manifests that others make" : "changes files for others";
  const problem = `plugin ${name} makes no manifests, it ${does}: use it as a stage of a pipeline (capstan.yaml)`;
  throw new CapstanError({ code: "INVALID_ARGUMENT", field: "source.plugin.name", problem });
}

/** One plugin on one source: prepares, generates, transforms, whichever of these it does. */
export async function runPlugin(
  plugin: Plugin,
  work: RunWork,
  options: RunOptions & { signal: AbortSignal },
): Promise<Run> {
  requireGenerate(plugin);
  const { clock, limits } = options;
  const ms = limits.runTimeoutMs;
  const late = () =>
    new CapstanError({ code: "TIMED_OUT", what: `rendering by ${plugin.name}`, afterMs: ms });
  using limited = deadline({ clock, signal: options.signal, ms, late });
  await using stage = new RunningStage(work, { ...options, signal: limited.signal });
  const { context } = work;
  const started = clock.now();
  await plugin.prepare?.(context, stage);
  let manifests: readonly GeneratedManifest[] = [];
  const made: Generated[] = [];
  if (plugin.generate) {
    made.push(await plugin.generate(context, stage));
    manifests = made[0]?.manifests ?? [];
  }
  if (plugin.transform) {
    made.push(await plugin.transform(manifests, context, stage));
    manifests = made.at(-1)?.manifests ?? [];
  }
  // A pipeline has told by its stages what is none.
  const isMarked = !plugin.sensitive || made[0]?.stages !== undefined;
  const { rendered, bytes } = digestManifests(isMarked ? manifests : markSecrets(manifests, []));
  const transferMs = stage.transferMs + spentOn("transfer", made);
  const queueMs = spentOn("queue", made);
  // Of two stages neither alone tells all that was read.
  const observed = made.length === 1 ? made[0]?.observed : undefined;
  return {
    rendering: {
      manifests: rendered,
      commands: made.flatMap(({ commands }) => commands),
      ...earliestEnd(made),
    },
    bytes,
    queueMs,
    transferMs,
    ms: clock.now() - started - transferMs - queueMs,
    ...(observed ? { observed } : {}),
    ...(made[0]?.stages ? { stages: made[0].stages } : {}),
  };
}

/** Several things are good until the first of them ends. */
export function earliestEnd(made: readonly { readonly until?: number }[]): { until?: number } {
  const ends = made.map(({ until }) => until).filter((until) => until !== undefined);
  return ends.length === 0 ? {} : { until: Math.min(...ends) };
}

function spentOn(what: string, made: readonly Generated[]): number {
  const timings = made.flatMap((one) => one.timings ?? []).filter(({ name }) => name === what);
  return timings.reduce((sum, { ms }) => sum + ms, 0);
}

export function digestManifests(manifests: readonly GeneratedManifest[]): {
  rendered: RenderedManifest[];
  bytes: number;
} {
  let bytes = 0;
  const rendered = manifests.map((one) => {
    const json = canonicalJson(one.manifest);
    bytes += json.length;
    refuseHuge(one, json);
    refuseTooMany(manifests.length, bytes);
    return { ...one, digest: hash("sha256", json, "base64url") };
  });
  return { rendered, bytes };
}

/** What a plugin gets to work with; its files are removed once it is disposed. */
export class RunningStage implements Stage, AsyncDisposable {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
  readonly env: Readonly<Record<string, string>>;
  readonly inputs: Inputs;
  readonly refresh: Stage["refresh"];
  readonly credentials: Stage["credentials"];
  readonly note: Stage["note"];
  readonly chart: Stage["chart"];
  readonly chartLogin: Stage["chartLogin"];
  readonly repositoryTree: Stage["repositoryTree"];
  readonly file: Stage["file"];
  transferMs = 0;
  readonly #context: RenderContext;
  readonly #options: RunOptions;
  #workspace: Promise<DiskWorkspace> | undefined;

  constructor(work: RunWork, options: RunOptions & { signal: AbortSignal }) {
    this.#context = work.context;
    this.inputs = work.inputs;
    this.refresh = work.refresh;
    this.credentials = work.credentials;
    this.note = work.note;
    this.chart = work.chart;
    this.chartLogin = work.chartLogin;
    this.repositoryTree = work.repositoryTree;
    this.file = work.file;
    this.#options = options;
    this.signal = options.signal;
    this.clock = options.clock;
    this.log = options.log;
    this.env = options.env;
  }

  workspace(): Promise<DiskWorkspace> {
    this.#workspace ??= this.#createWorkspace();
    return this.#workspace;
  }

  async layOut(tree: SourceTree, paths: readonly string[]): Promise<string> {
    return (await this.workspace()).layOut(tree, paths);
  }

  async run(command: Parameters<Stage["run"]>[0]) {
    const workspace = await this.workspace();
    const { clock, limits, starter } = this.#options;
    const whole: Command = {
      ...command,
      env: { ...this.env, HOME: workspace.home, TMPDIR: workspace.scratch, ...command.env },
      hide: [workspace.root, ...Object.values(workspace.refs), workspace.scratch, workspace.top],
    };
    const { maxOutputBytes: maxStdoutBytes } = limits;
    const timeoutMs = Math.min(command.timeoutMs ?? limits.timeoutMs, limits.timeoutMs);
    const bounds = { clock, signal: this.signal, timeoutMs, maxStdoutBytes };
    return runCommand(whole, { ...bounds, ...(starter ? { starter } : {}) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const workspace = await this.#workspace?.catch(() => undefined);
    if (workspace) await this.#options.later.add(`removing ${workspace.top}`, () => workspace.remove());
  }

  async #createWorkspace(): Promise<DiskWorkspace> {
    const started = this.clock.now();
    try {
      return await DiskWorkspace.create(this.#context, this.inputs, this.#options.limits);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOSPC")
        throw new CapstanError(
          { code: "UNAVAILABLE", what: "room for temporary files", problem: "the disk is full" },
          error,
        );
      throw error;
    } finally {
      this.transferMs += this.clock.now() - started;
    }
  }
}
