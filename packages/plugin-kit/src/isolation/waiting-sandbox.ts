import type { Command } from "../run-command.ts";
import type { ProgramStarter, WaitingProgram } from "../start-program.ts";
import { type ConfineMeans, type Confinement, confinementOf, type Visible } from "./confine-command.ts";
import { fileIdentity } from "./file-identity.ts";
import { findOnPath } from "./probe-isolation.ts";

const systemPath = "/usr/bin:/bin";
/** Within what a pipe takes at once; the arguments of one program are longer still. */
const maxScriptBytes = 60_000;

/**
 * A sandbox that is there before its command: a shell waits in it, under the user and the limits of the command, which
 * then takes the shell's place. No program has run in it, and it is used for one command or for none.
 */
export class WaitingSandbox implements Disposable {
  readonly #program: WaitingProgram;
  readonly #shape: string;
  readonly #env: string;
  #isOver = false;

  /** For a command like this one in the directory of `visible`; nothing where that cannot be. */
  static async start(
    command: Command,
    visible: Visible,
    means: ConfineMeans & { readonly starter: ProgramStarter },
  ): Promise<WaitingSandbox | undefined> {
    const [shell, env] = ["sh", "env"].map((name) => findOnPath(name, systemPath));
    if (shell === undefined || env === undefined) return undefined;
    const { apart, limits, isSandbox } = confinementOf(command, visible, means);
    const shape = shapeOf(apart);
    const [program, ...args] = [...apart, ...limits, shell];
    if (program === undefined) return undefined;
    const { owner } = visible;
    const started = await means.starter.startWaiting?.({
      ...{ program, args, cwd: command.cwd, env: { PATH: systemPath }, isSandbox },
      ...(owner === undefined ? {} : { owner }),
    });
    return started && new WaitingSandbox(started, shape, env);
  }

  private constructor(program: WaitingProgram, shape: string, env: string) {
    this.#program = program;
    this.#shape = shape;
    this.#env = env;
    void program.exited.then(() => this.#end());
  }

  get ended(): Promise<unknown> {
    return this.#program.exited;
  }

  /** Starts the command in it; nothing where it needs another sandbox than this one, which then is of no use. */
  take(command: Command, confinement: Confinement): ProgramStarter | undefined {
    if (this.#isOver || command.stdin !== undefined) return undefined;
    const script = scriptFor(command.cwd, confinement, this.#env);
    if (script === undefined || shapeOf(confinement.apart) !== this.#shape) return undefined;
    this.#isOver = true;
    return {
      start: async () => {
        this.#program.give(script);
        return this.#program;
      },
    };
  }

  /** Unless a command has taken it. */
  [Symbol.dispose](): void {
    if (this.#isOver) return;
    this.#end();
    this.#program.kill("SIGKILL");
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const stream of [this.#program.stdout, this.#program.stderr]) stream.destroy();
    this.#program.give("");
  }
}

/**
 * What makes a sandbox what it is, but for the directory in which a command begins. What stands for a path may have been
 * replaced by something else of that name, as an editor or a package manager does.
 */
function shapeOf(apart: readonly string[]): string {
  return JSON.stringify(
    apart.map((word, index) => {
      const before = apart[index - 1] ?? "";
      if (before === "--chdir") return "";
      return before.startsWith("--ro-bind") ? [word, fileIdentity(word)] : word;
    }),
  );
}

/** Of a shell. bubblewrap would say where the command begins. */
function scriptFor(cwd: string, { words, env }: Confinement, envProgram: string): string | undefined {
  const variables = Object.entries({ ...env, PWD: cwd });
  const isOdd = words[0]?.includes("=") || variables.some(([name]) => name.startsWith("-"));
  const argv = [envProgram, "-i", ...variables.map(([name, value]) => `${name}=${value}`), ...words];
  const script = `cd ${quote(cwd)} && exec ${argv.map(quote).join(" ")} < /dev/null\n`;
  return isOdd || script.length > maxScriptBytes ? undefined : script;
}

function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
