import type { Clock } from "@capstan/flow";
import { CapstanError } from "@capstan/model";
import {
  type Command,
  type Elsewhere,
  type Inputs,
  type Log,
  type ProgramStarter,
  type RenderContext,
  runCommand,
  type SourceTree,
  type Stage,
} from "@capstan/plugin-kit";
import type { LaterWork } from "../cache/later-work.ts";
import type { TakeNote, UnsaidSecrets } from "./unsaid-secrets.ts";
import { DiskWorkspace, type WorkspaceLimits } from "./workspace.ts";

export interface RunOptions {
  clock: Clock;
  log: Log;
  env: Readonly<Record<string, string>>;
  limits: WorkspaceLimits & { timeoutMs: number; runTimeoutMs: number; maxOutputBytes: number };
  /** Who starts programs; absent: this process. */
  starter?: ProgramStarter;
  later: LaterWork;
  unsaid: UnsaidSecrets;
}

/** One run: on what, and what it may use. */
export interface RunWork extends Elsewhere, Pick<Stage, "inputs" | "refresh" | "credentials"> {
  context: RenderContext;
  note: TakeNote;
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
    this.note = (text) => work.note(text);
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
