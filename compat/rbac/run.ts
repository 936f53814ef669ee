/**
 * `node compat/rbac/run.ts --peer PROGRAM [--pairs 50000] [--seed 1]`: generated policies and requests, asked of
 * Capstan's engine and of Argo CD's packages util/rbac and server/rbacpolicy. PROGRAM reads a batch of generate.ts from each
 * line of its input and answers with a line {"valid": …, "answers": […]}; it is built outside of this repository.
 * Every disagreement must be in ledger.ts.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { Dice } from "../dice.ts";
import { wholeNumber } from "../whole-number.ts";
import { askOurs } from "./ask-ours.ts";
import { generateBatch } from "./generate.ts";
import { ledger } from "./ledger.ts";

const options = { peer: { type: "string" }, pairs: { type: "string" }, seed: { type: "string" } } as const;
const { values } = parseArgs({ options });
if (values.peer === undefined) throw new Error("name the program that answers for Argo CD: --peer PROGRAM");
const pairs = wholeNumber("pairs", values.pairs ?? "50000");
const seed = wholeNumber("seed", values.seed ?? "1");
const perBatch = 25;
const mostShown = 10;

const random = new Dice(seed);
const peer = spawn(values.peer, [], { stdio: ["pipe", "pipe", "inherit"] });
const counts = { pairs: 0, allowed: 0, invalid: 0, disagreed: 0, unexplained: 0 };
const byReason = new Map<string, number>();

const answers = createInterface({ input: peer.stdout })[Symbol.asyncIterator]();
while (counts.pairs < pairs) {
  const batch = generateBatch(random, perBatch);
  peer.stdin.write(`${JSON.stringify(batch)}\n`);
  const { value, done } = await answers.next();
  if (done) throw new Error("the peer ended");
  compare(batch, JSON.parse(value));
}
peer.stdin.end();
await once(peer, "exit");

function compare(
  batch: ReturnType<typeof generateBatch>,
  real: { valid: boolean; answers: boolean[] | null },
): void {
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
