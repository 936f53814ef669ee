import { hash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { CapstanError, type Clock, canonicalJson } from "@capstan/model";
import {
  type Command,
  type GeneratedManifest,
  type Inputs,
  type Log,
  type Plugin,
  type RenderContext,
  runCommand,
  type Stage,
} from "@capstan/plugin-kit";
import type { RenderedManifest } from "@capstan/wire";
import type { Rendering } from "../cache/manifest-cache.ts";
import { DiskWorkspace, type WorkspaceLimits } from "./workspace.ts";

export interface RunOptions {
  clock: Clock;
  log: Log;
  env: Readonly<Record<string, string>>;
  limits: WorkspaceLimits & { timeoutMs: number; maxOutputBytes: number };
}

export interface Run {
  rendering: Rendering;
  bytes: number;
  /** Spent on writing the inputs to disk. */
  transferMs: number;
  ms: number;
}

/** One plugin on one source: prepares, generates, transforms, whichever of these it does. */
export async function runPlugin(
  plugin: Plugin,
  { context, inputs }: { context: RenderContext; inputs: Inputs },
  { signal, ...options }: RunOptions & { signal: AbortSignal },
): Promise<Run> {
  await using stage = new RunningStage(context, inputs, { ...options, signal });
  const { clock } = options;
  const started = clock.now();
  await plugin.prepare?.(context, stage);
  let manifests: readonly GeneratedManifest[] = [];
  const commands: string[] = [];
  if (plugin.generate) {
    const generated = await plugin.generate(context, stage);
    manifests = generated.manifests;
    commands.push(...generated.commands);
  }
  if (plugin.transform) {
    const transformed = await plugin.transform(manifests, context, stage);
    manifests = transformed.manifests;
    commands.push(...transformed.commands);
  }
  const { rendered, bytes } = digestManifests(manifests);
  const { transferMs } = stage;
  return {
    rendering: { manifests: rendered, commands },
    bytes,
    transferMs,
    ms: clock.now() - started - transferMs,
  };
}

function digestManifests(manifests: readonly GeneratedManifest[]): {
  rendered: RenderedManifest[];
  bytes: number;
} {
  let bytes = 0;
  const rendered = manifests.map((one) => {
    const json = canonicalJson(one.manifest);
    bytes += json.length;
    return { ...one, digest: hash("sha256", json, "base64url") };
  });
  return { rendered, bytes };
}

class RunningStage implements Stage, AsyncDisposable {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
  readonly env: Readonly<Record<string, string>>;
  transferMs = 0;
  readonly #context: RenderContext;
  readonly #inputs: Inputs;
  readonly #options: RunOptions;
  #workspace: Promise<DiskWorkspace> | undefined;

  constructor(context: RenderContext, inputs: Inputs, options: RunOptions & { signal: AbortSignal }) {
    this.#context = context;
    this.#inputs = inputs;
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

  async run(command: Parameters<Stage["run"]>[0]) {
    const workspace = await this.workspace();
    const { clock, limits } = this.#options;
    const home = join(workspace.scratch, "home");
    await mkdir(home, { recursive: true });
    const whole: Command = {
      ...command,
      env: { ...this.env, HOME: home, TMPDIR: workspace.scratch, ...command.env },
      hide: [workspace.root, ...Object.values(workspace.refs), workspace.scratch, workspace.top],
    };
    const { timeoutMs, maxOutputBytes: maxStdoutBytes } = limits;
    return runCommand(whole, { clock, signal: this.signal, timeoutMs, maxStdoutBytes });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const workspace = await this.#workspace?.catch(() => undefined);
    await workspace?.[Symbol.asyncDispose]();
  }

  async #createWorkspace(): Promise<DiskWorkspace> {
    const started = this.clock.now();
    try {
      return await DiskWorkspace.create(this.#context, this.#inputs, this.#options.limits);
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
