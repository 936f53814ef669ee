/**
 * `node compat/rbac/run.ts [--count 50000] [--seed N] [--short]`: generated pairs of policy and request, asked of
 * Capstan's engine and of Argo CD's packages util/rbac and server/rbacpolicy (testenv group argocd-rbac).
 * Every disagreement must be in ledger.ts.
 */
import { RealPeer, readRandomRun } from "../real-peer.ts";
import { askOurs } from "./ask-ours.ts";
import { generateBatch } from "./generate.ts";
import { ledger } from "./ledger.ts";

interface RealAnswer {
  readonly valid: boolean;
  /** Null where the policy cannot be read. */
  readonly answers: readonly boolean[] | null;
}

const { count, seed, dice } = readRandomRun("argocd-rbac", 50_000);
const perBatch = 25;
const mostShown = 10;

const real = new RealPeer<ReturnType<typeof generateBatch>, RealAnswer>("argocd-rbac");
const counts = { pairs: 0, allowed: 0, invalid: 0, disagreed: 0, unexplained: 0 };
const byReason = new Map<string, number>();

while (counts.pairs < count) {
  const batch = generateBatch(dice, perBatch);
  const answer = await real.ask(batch);
  if (!answer) throw new Error(`the real program ended at ${JSON.stringify(batch)}`);
  compare(batch, answer);
}
real.end();

function compare(batch: ReturnType<typeof generateBatch>, real: RealAnswer): void {
  const ours = askOurs(batch);
  if (ours.valid !== real.valid) tell("whether it can be read", { batch, ours: ours.valid });
  counts.pairs += batch.questions.length;
  if (!real.valid) counts.invalid += batch.questions.length;
  if (!real.valid || !ours.valid) return;
  for (const [index, question] of batch.questions.entries()) {
    const [isAllowed = false, isReal] = [ours.answers[index], real.answers?.[index]];
    if (isReal) counts.allowed++;
    if (isAllowed === isReal) continue;
    counts.disagreed++;
    const reason = ledger.find(({ about }) =>
      about({ batch, question, isAllowed, policy: ours.policy }),
    )?.reason;
    if (reason === undefined) tell("a question", { ...batch, question, questions: [], ours: isAllowed });
    else byReason.set(reason, (byReason.get(reason) ?? 0) + 1);
  }
}

function tell(what: string, facts: object): void {
  counts.unexplained++;
  if (counts.unexplained <= mostShown)
    console.log(`disagreement about ${what}:`, JSON.stringify(facts, undefined, 1));
}

console.log(
  `seed ${seed}: ${counts.pairs} pairs of policy and request, of which Argo CD allows ${counts.allowed};`,
);
console.log(
  `${counts.invalid} of policies that neither takes; ${counts.disagreed} answers differ, for these reasons:`,
);
for (const [reason, count] of byReason) console.log(`${String(count).padStart(7)}  ${reason}`);
console.log(`${counts.unexplained} without a reason`);
process.exitCode = counts.unexplained > 0 ? 1 : 0;
