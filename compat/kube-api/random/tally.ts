import { titleOf } from "../kinds/kind.ts";
import type { Judgement } from "./judge.ts";
import type { Sequence } from "./operations.ts";

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

  count({ operations, listed }: Judgement): void {
    this.sequences += 1;
    this.operations += operations;
    for (const reason of listed) this.#listed.set(reason, (this.#listed.get(reason) ?? 0) + 1);
  }

  fail(failure: Failure): void {
    this.failures.push(failure);
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

  /** By kind and what differs, most frequent first. */
  printClasses(): void {
    const lines = this.failures.flatMap((failure) =>
      (failure.judgement.unlisted?.lines ?? []).map((line) => ({ failure, line })),
    );
    const classOf = ({ line }: { line: string }) =>
      line
        .replace(/^(\S+) \S+(?: status| scale)?/, "$1")
        .replace(/(?<=alone: [^:]*):.*/, "")
        .replaceAll(/"[^"]*"|\d+/g, "_");
    const classes = [...Map.groupBy(lines, classOf)].sort((left, right) => right[1].length - left[1].length);
    for (const [, [first, ...others]] of classes) {
      if (first === undefined) continue;
      console.log(`${others.length + 1} × ${first.line}\n    --again ${first.failure.seed}`);
    }
  }

  printSums(seed: number): void {
    for (const [reason, hits] of this.#listed) console.log(`${String(hits).padStart(6)} × listed: ${reason}`);
    console.log(
      `compat/kube-api/random: ${this.operations} operations in ${this.sequences} sequences, seed ${seed}: ${this.failures.length} sequences disagree in what compat/known-gaps.ts does not list`,
    );
  }
}
