import { titleOf } from "../kinds/kind.ts";
import type { Judgement } from "./judge.ts";
import type { Sequence } from "./operations.ts";

interface Line {
  line: string;
  seed: number;
  /** Why it may be, where compat/known-gaps.ts says so. */
  reason?: string;
}

interface Failure {
  sequence: Sequence;
  judgement: Judgement;
  seed: number;
  path: string;
}

/** What a run has seen. */
export class Tally {
  operations = 0;
  sequences = 0;
  readonly failures: Failure[] = [];
  readonly #listed = new Map<string, number>();
  readonly #lines: Line[] = [];
  readonly #byKind = new Map<string, number>();

  count({ operations, listed }: Judgement, seed: number): void {
    this.sequences += 1;
    this.operations += operations;
    for (const { reason, lines } of listed) {
      this.#listed.set(reason, (this.#listed.get(reason) ?? 0) + 1);
      this.#blame(lines[0]);
      this.#lines.push(...lines.map((line) => ({ line, seed, reason })));
    }
  }

  fail(failure: Failure): void {
    this.failures.push(failure);
    this.#blame(failure.judgement.unlisted?.lines[0]);
  }

  #blame(line = ""): void {
    const kind = line.replace(/ .*/s, "");
    this.#byKind.set(kind, (this.#byKind.get(kind) ?? 0) + 1);
  }

  printFailures(): void {
    for (const { sequence, judgement, seed, path } of this.failures) {
      const { step, lines = [] } = judgement.unlisted ?? {};
      const last = step === undefined ? -1 : judgement.steps.indexOf(step);
      const name = `random/${titleOf(sequence.kind)}/${seed}`;
      console.log(`FAILED ${name}: again with --again ${seed} --path ${path}`);
      for (const line of lines.slice(0, 20)) console.log(`    ${line}`);
      console.log(`    as a case: { name: ${JSON.stringify(name)}, steps: [`);
      for (const one of judgement.steps.slice(0, last + 1)) console.log(`      ${JSON.stringify(one)},`);
      console.log("    ] }");
    }
  }

  /** By kind and what differs, most frequent first; with what is listed. */
  printClasses(): void {
    const unlisted = this.failures.flatMap(({ judgement, seed }) =>
      (judgement.unlisted?.lines ?? []).map((line): Line => ({ line, seed })),
    );
    const classes = [...Map.groupBy([...unlisted, ...this.#lines], classOf)];
    for (const [, [first, ...others]] of classes.sort(([, a], [, b]) => b.length - a.length)) {
      if (first === undefined) continue;
      const why = first.reason === undefined ? "" : ` (listed: ${first.reason})`;
      console.log(`${others.length + 1} × ${first.line}\n    --again ${first.seed}${why}`);
    }
    for (const [kind, hits] of [...this.#byKind].sort(([, left], [, right]) => right - left))
      console.log(`${String(hits).padStart(6)} operations of ${kind} disagree`);
  }

  printSums(seed: number): void {
    const rows = [...this.#listed].sort(([, left], [, right]) => right - left);
    const shareOf = (count: number): string =>
      `${((100 * count) / Math.max(1, this.operations)).toFixed(2)} %`;
    for (const [reason, hits] of rows)
      console.log(`${String(hits).padStart(6)} × (${shareOf(hits)}) listed: ${reason}`);
    const met = rows.reduce((sum, [, hits]) => sum + hits, 0);
    const agreed = this.operations - met - this.failures.length;
    console.log(
      `compat/kube-api/random: seed ${seed}: of ${this.operations} operations in ${this.sequences} sequences ${agreed} agree (${shareOf(agreed)}), ${met} meet a listed gap, ${this.failures.length} disagree in what compat/known-gaps.ts does not list`,
    );
  }
}

function classOf({ line }: Line): string {
  return line
    .replace(/^(\S+) \S+(?: status| scale)?/, "$1")
    .replace(/(?<=alone: [^:]*):.*/, "")
    .replaceAll(/"[^"]*"|\d+/g, "_");
}
