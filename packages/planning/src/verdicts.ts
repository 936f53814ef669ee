import {
  type ComparedBy,
  type DiffResult,
  type DiffRules,
  diffManifest,
  type ResourcePair,
  withOwnChanges,
} from "@capstan/engine";
import { type Clock, ownTurn, runLimited } from "@capstan/flow";
import type { TenantClient, TenantCluster } from "@capstan/kube";
import { type ApplyMode, keyOf, keyText, type Manifest } from "@capstan/model";
import { comparable } from "./comparable.ts";
import type { DryRuns, Urgency } from "./dry-runs.ts";
import type { JqDeletions, RuleUse } from "./jq-deletions.ts";
import { type Prediction, predict } from "./predict-apply.ts";

interface Verdict extends Pick<ApplyMode, "method" | "force" | "validate"> {
  /** Compared by identity: an unchanged render gives the same objects. */
  target: Manifest;
  liveVersion: string;
  rules: DiffRules;
  by: ComparedBy;
  /**
   * Absent: not judged yet. One that is open is asked for again: the next time somebody may have the right, or the
   * server may not refuse it.
   */
  diff: DiffResult | undefined;
  /** Why the server does not take what git says. */
  refusal?: string;
}

interface JudgeInput {
  cluster: Pick<TenantCluster, "client" | "server" | "actsAs">;
  clock: Clock;
  jq: Pick<JqDeletions, "settled">;
  dryRuns: DryRuns;
  pairs: readonly ResourcePair[];
  ruleUse: RuleUse;
  modeOf: (target: Manifest, live: Manifest) => ApplyMode;
  by: ComparedBy;
  urgency: Urgency;
}

interface Converted {
  apiVersion: string;
  resourceVersion: string;
  object: Manifest;
}

const same: DiffResult = { verdict: "same", fields: [] };
/** Which fields, only the server's answer would tell. */
const modified: DiffResult = { verdict: "modified", fields: [] };
const dryRunsAtOnce = 10;
/** After so much comparing others have their turn: an object may be as large as the server takes. */
const longPieceMs = 10;

/** Results of comparisons, kept for as long as target, live object and rules are what they were. */
export class Verdicts {
  #kept = new Map<string, Verdict>();
  /** Made with the first: most objects are in the version that git uses. */
  #converted: Map<string, Converted> | undefined;

  /** Judges every pair that has both sides, and forgets what is not among them. */
  async judge(input: JudgeInput, signal: AbortSignal): Promise<void> {
    const next = new Map<string, Verdict>();
    const judged: Judged[] = [];
    for (const { key, target, live } of input.pairs) {
      if (!target || !live) continue;
      const id = keyText(key);
      const mode = input.modeOf(target, live);
      const facts = factsOf(input, { target, live, mode });
      const before = this.#kept.get(id);
      const isKept = before !== undefined && holds(before, facts, input.urgency);
      const verdict: Verdict = isKept ? before : { ...facts, diff: undefined };
      next.set(id, verdict);
      if (verdict.diff === undefined) judged.push({ target, live, mode, verdict });
    }
    try {
      if (input.by === "ownership") await compareOwnership(input, judged, signal);
      else await askServer(input, judged, signal);
    } finally {
      // What was judged before it broke off need not be asked for again.
      for (const [id, { diff }] of next) if (diff === undefined || diff.verdict === "doubt") next.delete(id);
      this.#kept = next;
    }
    for (const id of this.#converted?.keys() ?? []) if (!next.has(id)) this.#converted?.delete(id);
  }

  of({ key }: ResourcePair): DiffResult {
    return this.#kept.get(keyText(key))?.diff ?? same;
  }

  refusalOf({ key }: ResourcePair): string | undefined {
    return this.#kept.get(keyText(key))?.refusal;
  }

  /** The live object in the version that git uses; the server converts, once for each change. */
  async inVersionOf(
    client: TenantClient,
    { target, live }: { target: Manifest; live: Manifest },
    signal: AbortSignal,
  ): Promise<Manifest> {
    if (target.apiVersion === live.apiVersion) return live;
    const id = keyText(keyOf(target));
    const resourceVersion = live.metadata.resourceVersion ?? "";
    const known = this.#converted?.get(id);
    if (known?.apiVersion === target.apiVersion && known.resourceVersion === resourceVersion)
      return known.object;
    const { namespace, name = "" } = live.metadata;
    if (!(await client.discovery.find(target, signal))) return live;
    const object = await client.fetchLive(
      { apiVersion: target.apiVersion, kind: target.kind, namespace, name },
      signal,
    );
    if (!object) return live;
    this.#converted ??= new Map();
    this.#converted.set(id, { apiVersion: target.apiVersion, resourceVersion, object });
    return object;
  }
}

interface Judged extends Prediction {
  verdict: Verdict;
}

type Facts = Omit<Verdict, "diff" | "refusal">;

function factsOf({ ruleUse, by }: JudgeInput, { target, live, mode }: Prediction): Facts {
  const { method, force, validate } = mode;
  const liveVersion = live.metadata.resourceVersion ?? "";
  return { target, liveVersion, rules: ruleUse.rules, method, force, validate, by };
}

function holds(before: Verdict, facts: Facts, urgency: Urgency): boolean {
  const { target, liveVersion, rules, method, force, validate, by } = facts;
  return (
    before.target === target &&
    before.diff?.isOpen !== true &&
    before.liveVersion === liveVersion &&
    before.rules === rules &&
    before.by === by &&
    (by === "ownership" || urgency !== "anew") &&
    before.method === method &&
    before.force === force &&
    before.validate === validate
  );
}

async function compareOwnership(
  input: JudgeInput,
  judged: readonly Judged[],
  signal: AbortSignal,
): Promise<void> {
  const { jq, ruleUse, clock } = input;
  const diffAll = async (rules: DiffRules): Promise<DiffResult[]> => {
    const diffs: DiffResult[] = [];
    let begunMs = clock.now();
    for (const { target, live } of judged) {
      if (clock.now() - begunMs > longPieceMs) {
        await ownTurn(signal);
        begunMs = clock.now();
      }
      diffs.push(diffManifest(target, live, rules));
    }
    return diffs;
  };
  const diffs = await jq.settled(ruleUse, diffAll, signal);
  for (const [index, { verdict }] of judged.entries()) verdict.diff = diffs[index] ?? same;
  await settleDoubts(input, judged, signal);
}

async function settleDoubts(
  input: JudgeInput,
  judged: readonly Judged[],
  signal: AbortSignal,
): Promise<void> {
  const needs = { client: input.cluster.client, clock: input.clock };
  const doubts = judged.filter(({ verdict }) => verdict.diff?.verdict === "doubt");
  await runLimited(doubts, dryRunsAtOnce, async (doubt) => {
    const { object, isOpen } = await predict(needs, doubt, signal);
    const diff = await settleDoubt(input, { ...doubt, predicted: object }, signal);
    doubt.verdict.diff = isOpen ? { ...diff, isOpen } : diff;
  });
}

async function settleDoubt(
  { jq, ruleUse }: JudgeInput,
  { verdict, live, predicted }: Judged & { predicted: Manifest | undefined },
  signal: AbortSignal,
): Promise<DiffResult> {
  const areAlike = (rules: DiffRules): boolean =>
    predicted !== undefined &&
    comparable(withOwnChanges(live, predicted, rules), rules) === comparable(live, rules);
  const isSame = await jq.settled(ruleUse, areAlike, signal);
  return isSame ? same : { verdict: "modified", fields: verdict.diff?.fields ?? [] };
}

/** Each object is compared with what the server says that an apply would make of it (ServerSideDiff=true). */
async function askServer(input: JudgeInput, judged: readonly Judged[], signal: AbortSignal): Promise<void> {
  const { dryRuns, ruleUse, urgency } = input;
  const withWebhooks = input.by === "server and webhooks";
  await runLimited(judged, dryRunsAtOnce, async ({ target, live, mode, verdict }) => {
    const question = { target, live, mode, ruleUse, withWebhooks, urgency };
    const answer = await dryRuns.ask(input, question, signal);
    if (answer.verdict !== "refused") verdict.diff = answer.verdict === "same" ? same : modified;
    else {
      verdict.diff = { ...modified, isOpen: true };
      verdict.refusal = answer.because;
    }
  });
}
