import { type DiffResult, type DiffRules, diffManifest, normalize, type ResourcePair } from "@capstan/engine";
import { type Clock, ownTurn, runLimited } from "@capstan/flow";
import { canonicalJson, isRecord } from "@capstan/formats";
import { applyObject, KubeError, type TenantClient } from "@capstan/kube";
import {
  type ApplyMode,
  annotationKeys,
  isCapstanError,
  keyOf,
  keyText,
  type Manifest,
} from "@capstan/model";
import type { JqDeletions, RuleUse } from "./jq-deletions.ts";

interface Verdict {
  /** Compared by identity: an unchanged render gives the same objects. */
  target: Manifest;
  liveVersion: string;
  rules: DiffRules;
  method: ApplyMode["method"];
  /** One that is open is asked for again: the next time somebody may have the right. */
  diff: DiffResult;
}

interface JudgeInput extends PredictNeeds {
  jq: Pick<JqDeletions, "settled">;
  pairs: readonly ResourcePair[];
  ruleUse: RuleUse;
  modeOf: (target: Manifest, live: Manifest) => ApplyMode;
}

interface Converted {
  apiVersion: string;
  resourceVersion: string;
  object: Manifest;
}

const same: DiffResult = { verdict: "same", fields: [] };
const dryRunsAtOnce = 10;
/** After so much comparing others have their turn: an object may be as large as the server takes. */
const longPieceMs = 10;

/** Results of comparisons, kept for as long as target, live object and rules are what they were. */
export class Verdicts {
  #kept = new Map<string, Verdict>();
  #converted = new Map<string, Converted>();

  /** Judges every pair that has both sides, and forgets what is not among them. */
  async judge(input: JudgeInput, signal: AbortSignal): Promise<void> {
    const next = new Map<string, Verdict>();
    const judged: Judged[] = [];
    const { rules } = input.ruleUse;
    for (const { key, target, live } of input.pairs) {
      if (!target || !live) continue;
      const id = keyText(key);
      const liveVersion = live.metadata.resourceVersion ?? "";
      const before = this.#kept.get(id);
      const mode = input.modeOf(target, live);
      const facts = { target, liveVersion, rules, method: mode.method };
      const holds =
        before?.target === target &&
        before.diff.isOpen !== true &&
        before.liveVersion === liveVersion &&
        before.rules === rules &&
        before.method === mode.method;
      const verdict = holds ? before : { ...facts, diff: same };
      next.set(id, verdict);
      judged.push({ target, live, mode, verdict, isNew: !holds });
    }
    await diffNew(input, judged, signal);
    await settleDoubts(input, judged, signal);
    this.#kept = next;
    for (const id of this.#converted.keys()) if (!next.has(id)) this.#converted.delete(id);
  }

  of({ key }: ResourcePair): DiffResult {
    return this.#kept.get(keyText(key))?.diff ?? same;
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
    const known = this.#converted.get(id);
    if (known?.apiVersion === target.apiVersion && known.resourceVersion === resourceVersion)
      return known.object;
    const { namespace, name = "" } = live.metadata;
    if (!(await client.discovery.find(target, signal))) return live;
    const object = await client.fetchLive(
      { apiVersion: target.apiVersion, kind: target.kind, namespace, name },
      signal,
    );
    if (!object) return live;
    this.#converted.set(id, { apiVersion: target.apiVersion, resourceVersion, object });
    return object;
  }
}

interface Judged extends Prediction {
  verdict: Verdict;
  isNew: boolean;
}

async function diffNew(
  { jq, ruleUse, clock }: JudgeInput,
  judged: readonly Judged[],
  signal: AbortSignal,
): Promise<void> {
  const unknown = judged.filter(({ isNew }) => isNew);
  const diffAll = async (rules: DiffRules): Promise<DiffResult[]> => {
    const diffs: DiffResult[] = [];
    let begunMs = clock.now();
    for (const { target, live } of unknown) {
      if (clock.now() - begunMs > longPieceMs) {
        await ownTurn(signal);
        begunMs = clock.now();
      }
      diffs.push(diffManifest(target, live, rules));
    }
    return diffs;
  };
  const diffs = await jq.settled(ruleUse, diffAll, signal);
  for (const [index, { verdict }] of unknown.entries()) verdict.diff = diffs[index] ?? same;
}

async function settleDoubts(
  input: JudgeInput,
  judged: readonly Judged[],
  signal: AbortSignal,
): Promise<void> {
  const doubts = judged.filter(({ verdict }) => verdict.diff.verdict === "doubt");
  await runLimited(doubts, dryRunsAtOnce, async (doubt) => {
    const { object, isOpen } = await predict(input, doubt, signal);
    const diff = await settleDoubt(input, { ...doubt, predicted: object }, signal);
    doubt.verdict.diff = isOpen ? { ...diff, isOpen } : diff;
  });
}

async function settleDoubt(
  { jq, ruleUse }: JudgeInput,
  { verdict: { diff }, live, predicted }: Judged & { predicted: Manifest | undefined },
  signal: AbortSignal,
): Promise<DiffResult> {
  const { fields } = diff;
  const areAlike = (rules: DiffRules): boolean =>
    predicted !== undefined && comparable(predicted, rules) === comparable(live, rules);
  const isSame = await jq.settled(ruleUse, areAlike, signal);
  return isSame ? same : { verdict: "modified", fields };
}

interface PredictNeeds {
  client: TenantClient;
  clock: Clock;
}

export interface Prediction {
  target: Manifest;
  live: Manifest;
  mode: ApplyMode;
}

/**
 * What applying the target would make of the live object, by a dry run as whoever would apply it; or why the server
 * refuses (4xx), or nobody can act: that is not what is there. No answer at all is thrown: it tells nothing.
 */
export async function predictApply(
  needs: PredictNeeds,
  prediction: Prediction,
  signal: AbortSignal,
): Promise<Pick<Predicted, "object" | "refusal">> {
  const { object, refusal } = await predict(needs, prediction, signal);
  return { object, ...(refusal !== undefined && { refusal }) };
}

interface Predicted {
  readonly object?: Manifest | undefined;
  readonly refusal?: string;
  /** It was refused for lack of a right. */
  isOpen: boolean;
}

async function predict(
  needs: PredictNeeds,
  { target, live, mode }: Prediction,
  signal: AbortSignal,
): Promise<Predicted> {
  // Replace takes away what others wrote, but that it is there is no difference to git.
  const merging: ApplyMode = mode.method === "replace" ? { ...mode, method: "server-side" } : mode;
  try {
    const request = { object: target, live, mode: merging, dryRun: true, signal };
    return { object: (await applyObject(needs, request)).object, isOpen: false };
  } catch (error) {
    if (error instanceof KubeError && error.code >= 400 && error.code < 500)
      return { refusal: error.message, isOpen: error.code === 403 };
    if (isCapstanError(error) && error.code === "NO_ACCOUNT") return { refusal: error.message, isOpen: true };
    throw error;
  }
}

/** Labels and annotations may come to an object as an empty map where there were none. */
function comparable(object: Manifest, rules: DiffRules): string {
  const normal = normalize(withoutLastApplied(object), rules);
  const metadata = Object.entries(normal.metadata).filter(
    ([, value]) => !isRecord(value) || Object.keys(value).length > 0,
  );
  return canonicalJson({ ...normal, metadata: Object.fromEntries(metadata) });
}

function withoutLastApplied(object: Manifest): Manifest {
  const { annotations } = object.metadata;
  if (annotations?.[annotationKeys.lastApplied] === undefined) return object;
  const { [annotationKeys.lastApplied]: _, ...others } = annotations;
  return { ...object, metadata: { ...object.metadata, annotations: others } };
}
