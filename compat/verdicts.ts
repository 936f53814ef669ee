import { unsteady } from "./known-gaps.ts";
import { differences } from "./kube-api/difference.ts";

/** What one script of commands came to, played by the real thing and by ours. */
export interface Verdict {
  readonly name: string;
  readonly steps: number;
  /** What differs, by the command as the ledger names it. */
  readonly failures: ReadonlyMap<string, readonly string[]>;
}

interface Played<Said> {
  readonly said: readonly Said[];
  /** For a person to read. */
  readonly raw: readonly string[];
}

interface Scene<Said> {
  readonly name: string;
  /** Of the script. */
  readonly script: string;
  readonly runs: readonly string[];
  readonly real: Played<Said>;
  readonly ours: Played<Said>;
  readonly isVerbose: boolean;
}

export function compareScene<Said>(scene: Scene<Said>): Verdict {
  const { name, script, runs, real, ours, isVerbose } = scene;
  const failures = new Map<string, readonly string[]>();
  for (const [index, run] of runs.entries()) {
    const found = differences(real.said[index], ours.said[index]);
    if (found.length > 0) failures.set(`${script}: ${run}`, found);
    if (isVerbose) console.log(`${name} $ ${run}\nreal: ${real.raw[index]}\nours: ${ours.raw[index]}`);
  }
  return { name, steps: runs.length, failures };
}

/** Commands that are known to differ, with reasons, in both directions: what agrees again is struck out. */
export class Ledger {
  readonly #gaps: Readonly<Record<string, string>>;
  readonly #file: string;

  constructor(gaps: Readonly<Record<string, string>>, file: string) {
    this.#gaps = gaps;
    this.#file = file;
  }

  /** What differs in it and is not listed. */
  unlisted({ failures }: Verdict): string[] {
    return [...failures.keys()].filter((command) => !(command in this.#gaps));
  }

  print(verdict: Verdict): void {
    for (const command of this.unlisted(verdict)) {
      const found = verdict.failures.get(command) ?? [];
      console.log([`FAILED ${verdict.name} $ ${command}`, ...found.slice(0, 12)].join("\n    "));
    }
  }

  /** Of one script: commands that are listed and agree. */
  listedAndAgreeing({ failures }: Verdict, script: string): string[] {
    return Object.keys(this.#gaps).filter(
      (command) => command.startsWith(`${script}: `) && !failures.has(command),
    );
  }

  /** The sums, and the exit code. Only a whole run tells that something listed agrees now. */
  conclude(verdicts: readonly Verdict[], { suite, isWhole }: { suite: string; isWhole: boolean }): number {
    const differing = new Set(verdicts.flatMap(({ failures }) => [...failures.keys()]));
    const closed = Object.entries(this.#gaps).filter(
      ([command, reason]) => isWhole && !differing.has(command) && !reason.startsWith(unsteady),
    );
    for (const [command] of closed) console.log(`FAILED ${command} agrees now: strike it from ${this.#file}`);
    const failed = verdicts.flatMap((one) => this.unlisted(one)).length + closed.length;
    const steps = verdicts.reduce((sum, one) => sum + one.steps, 0);
    const apart = verdicts.reduce((sum, one) => sum + one.failures.size, 0);
    console.log(
      `${suite}: ${verdicts.length} scripts of ${steps} commands, ${steps - apart} agree, ${differing.size} commands differ, ${failed} not in ${this.#file}`,
    );
    return failed > 0 ? 1 : 0;
  }
}
