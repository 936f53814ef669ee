import { type DiffRules, withOwnChanges } from "@capstan/engine";
import { BoundedMap, type Clock, growingPause } from "@capstan/flow";
import { canonicalJson } from "@capstan/formats";
import type { TenantCluster } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import { comparable } from "./comparable.ts";
import { digestOf } from "./digest-of.ts";
import type { JqDeletions, RuleUse } from "./jq-deletions.ts";
import { type Prediction, predict } from "./predict-apply.ts";

/** Who wants to know: nobody in particular, somebody who has asked for a look, or for all to be looked at anew. */
export type Urgency = "usual" | "asked" | "anew";

export interface DryRunQuestion extends Prediction {
  ruleUse: RuleUse;
  /** What admission makes of an object counts as well. */
  withWebhooks: boolean;
  urgency: Urgency;
}

export type DryRunAnswer = { verdict: "same" | "modified" } | { verdict: "refused"; because: string };

interface Needs {
  cluster: Pick<TenantCluster, "client" | "server" | "actsAs">;
  clock: Clock;
  jq: Pick<JqDeletions, "settled">;
}

interface Refusal {
  readonly because: string;
  readonly times: number;
  readonly askedAtMs: number;
}

type Kept = "same" | "modified" | Refusal;

/** Of each, a digest and a word. */
const mostKept = 20_000;
/** What an admission policy refuses it may accept a moment later, of which nothing tells. */
const refusalPauses = { firstMs: 10_000, longestMs: 300_000 };

/**
 * What API servers said of an object: asked once for what git says of it, its version and the rules, by whoever compares
 * in this process. An unchanged application costs no request, however often it is looked at.
 */
export class DryRuns {
  readonly #kept = new BoundedMap<Kept>(mostKept);

  async ask(needs: Needs, question: DryRunQuestion, signal: AbortSignal): Promise<DryRunAnswer> {
    const id = idOf(needs.cluster, question);
    const known = question.urgency === "anew" ? undefined : this.#kept.get(id);
    if (known !== undefined && !isDue(known, question.urgency, needs.clock.now())) return answerOf(known);
    const found = await askServer(needs, question, signal);
    const times = typeof known === "object" ? known.times + 1 : 1;
    const kept =
      typeof found === "string" ? found : { because: found.because, times, askedAtMs: needs.clock.now() };
    this.#kept.set(id, kept);
    return answerOf(kept);
  }
}

function isDue(known: Kept, urgency: Urgency, nowMs: number): boolean {
  if (typeof known === "string") return false;
  const times = urgency === "usual" ? known.times : 1;
  return nowMs >= known.askedAtMs + growingPause(times, refusalPauses);
}

function answerOf(kept: Kept): DryRunAnswer {
  return typeof kept === "string" ? { verdict: kept } : { verdict: "refused", because: kept.because };
}

async function askServer(
  needs: Needs,
  question: DryRunQuestion,
  signal: AbortSignal,
): Promise<"same" | "modified" | { because: string }> {
  const { target, live, ruleUse, withWebhooks } = question;
  const { object, refusal, isNoObstacle } = await predict(
    { client: needs.cluster.client, clock: needs.clock },
    question,
    signal,
  );
  if (object === undefined) return isNoObstacle ? "modified" : { because: refusalText(target, refusal) };
  const areAlike = (rules: DiffRules): boolean => {
    const predicted = withWebhooks ? object : withOwnChanges(live, object, rules);
    return comparable(predicted, rules) === comparable(live, rules);
  };
  return (await needs.jq.settled(ruleUse, areAlike, signal)) ? "same" : "modified";
}

const longestRefusal = 400;

/** A server's words may name the value that it refuses. */
export function refusalText({ apiVersion, kind }: Manifest, refusal = ""): string {
  return apiVersion === "v1" && kind === "Secret"
    ? "it refuses this Secret"
    : refusal.slice(0, longestRefusal);
}

const ruleIds = new WeakMap<DiffRules, string>();

function ruleIdOf(rules: DiffRules): string {
  const known = ruleIds.get(rules) ?? digestOf(JSON.stringify(rules));
  ruleIds.set(rules, known);
  return known;
}

/** Another application's answer is none, nor another account's. */
function idOf(
  { server, actsAs }: Needs["cluster"],
  { target, live, mode, ruleUse, withWebhooks }: DryRunQuestion,
): string {
  const { uid, resourceVersion } = live.metadata;
  const who = [server, ruleUse.asker, actsAs];
  const about = [uid, resourceVersion, ruleIdOf(ruleUse.rules), mode, withWebhooks];
  return digestOf(`${JSON.stringify([who, about])} ${canonicalJson(target)}`);
}
