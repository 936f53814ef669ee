/** What suites share that ask ours and a real program of testenv the same random questions. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { lacking, realProgramPath } from "@capstan/testkit";
import { programFlags, wholeNumber } from "@capstan/testkit/program-flags";
import { Dice } from "./dice.ts";

export interface RandomRun {
  readonly count: number;
  readonly seed: number;
  readonly dice: Dice;
  readonly isVerbose: boolean;
}

const shortCount = 3_000;

/** `--count N`, `--seed N`, `--verbose`, `--short`. Ends the process where the program is not there. */
export function readRandomRun(program: string, fullCount = 20_000): RandomRun {
  const { values } = programFlags({
    options: {
      count: { type: "string", default: `${fullCount}` },
      seed: { type: "string", default: "1" },
      verbose: { type: "boolean", default: false },
      short: { type: "boolean", default: false },
    },
  });
  const missing = lacking(program);
  if (missing !== false) {
    console.error(`compat/${program}: ${missing}`);
    process.exit(1);
  }
  const seed = wholeNumber("seed", values.seed);
  const count = values.short ? shortCount : wholeNumber("count", values.count);
  return { count, seed, dice: new Dice(seed), isVerbose: values.verbose };
}

/** A program that answers each line of JSON with one; started again where a question ended it. */
export class RealPeer<Question, Answer> {
  readonly #program: string;
  readonly #env: Readonly<Record<string, string>>;
  #running: { child: ReturnType<typeof start>; answers: AsyncIterator<string> } | undefined;

  /** `env`: beside this process's own. */
  constructor(program: string, env: Readonly<Record<string, string>> = {}) {
    this.#program = program;
    this.#env = env;
  }

  /** Nothing where the program ended instead. */
  async ask(question: Question): Promise<Answer | undefined> {
    if (!this.#running) {
      const child = start(this.#program, this.#env);
      this.#running = { child, answers: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
    }
    this.#running.child.stdin.write(`${JSON.stringify(question)}\n`);
    const line = await this.#running.answers.next();
    if (!line.done) return JSON.parse(line.value);
    this.#running = undefined;
    return undefined;
  }

  end(): void {
    this.#running?.child.stdin.end();
  }
}

/** A random question may want all memory of the machine, which then stands still for minutes: the program ends instead. */
const mostKilobytes = 4 * 1024 * 1024;

function start(program: string, env: Readonly<Record<string, string>>) {
  const limited = ["-c", 'ulimit -v "$1" && exec "$2"', "sh", `${mostKilobytes}`, realProgramPath(program)];
  return spawn("sh", limited, {
    stdio: ["pipe", "pipe", "ignore"],
    env: { ...process.env, ...env },
  });
}
