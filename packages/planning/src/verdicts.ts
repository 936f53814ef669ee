import { type DiffResult, type DiffRules, diffManifest, normalize, type ResourcePair } from "@capstan/engine";
import { runLimited } from "@capstan/flow";
import { KubeError, type TenantClient } from "@capstan/kube";
import { canonicalJson, fieldManager, isRecord, keyOf, keyText, type Manifest } from "@capstan/model";

interface Verdict {
  /** Compared by identity: an unchanged render gives the same objects. */
  target: Manifest;
  liveVersion: string;
  rules: DiffRules;
  diff: DiffResult;
}

interface JudgeInput {
  client: TenantClient;
  pairs: readonly ResourcePair[];
  rules: DiffRules;
}

interface Converted {
  apiVersion: string;
  resourceVersion: string;
  object: Manifest;
}

const same: DiffResult = { verdict: "same", fields: [] };
const dryRunsAtOnce = 10;

/** Results of comparisons, kept for as long as target, live object and rules are what they were. */
export class Verdicts {
  #kept = new Map<string, Verdict>();
  #converted = new Map<string, Converted>();

  /** Judges every pair that has both sides, and forgets what is not among them. */
  async judge(input: JudgeInput, signal: AbortSignal): Promise<void> {
    const next = new Map<string, Verdict>();
    const doubtful: { target: Manifest; live: Manifest; verdict: Verdict }[] = [];
    for (const { key, target, live } of input.pairs) {
      if (!target || !live) continue;
      const id = keyText(key);
      const liveVersion = live.metadata.resourceVersion ?? "";
      const before = this.#kept.get(id);
      const holds =
        before?.target === target && before.liveVersion === liveVersion && before.rules === input.rules;
      const verdict = holds
        ? before
        : { target, liveVersion, rules: input.rules, diff: diffManifest(target, live, input.rules) };
      next.set(id, verdict);
      if (verdict.diff.verdict === "doubt") doubtful.push({ target, live, verdict });
    }
    await settleDoubts(input, doubtful, signal);
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
    const object = await client.get(
      { apiVersion: target.apiVersion, kind: target.kind, namespace, name },
      signal,
    );
    if (!object) return live;
    this.#converted.set(id, { apiVersion: target.apiVersion, resourceVersion, object });
    return object;
  }
}

interface Doubt {
  target: Manifest;
  live: Manifest;
  verdict: Verdict;
}

async function settleDoubts(input: JudgeInput, doubts: readonly Doubt[], signal: AbortSignal): Promise<void> {
  await runLimited(doubts, dryRunsAtOnce, async (doubt) => {
    doubt.verdict.diff = await settleDoubt(input, doubt, signal);
  });
}

async function settleDoubt(
  { client, rules }: JudgeInput,
  { target, live, verdict }: Doubt,
  signal: AbortSignal,
): Promise<DiffResult> {
  const { fields } = verdict.diff;
  const predicted = await predictApply(client, target, signal);
  const isSame = predicted !== undefined && comparable(predicted, rules) === comparable(live, rules);
  return isSame ? same : { verdict: "modified", fields };
}

/**
 * What the server would make of the target: whether applying it changes anything. Undefined where the server refuses
 * (4xx): that is not what is there, and the sync will say why. No answer at all is thrown: it tells nothing.
 */
export async function predictApply(
  client: TenantClient,
  target: Manifest,
  signal: AbortSignal,
): Promise<Manifest | undefined> {
  try {
    return await client.apply(target, { signal, fieldManager, force: true, dryRun: true });
  } catch (error) {
    if (error instanceof KubeError && error.code >= 400 && error.code < 500) return undefined;
    throw error;
  }
}

/** Labels and annotations may come to an object as an empty map where there were none. */
function comparable(object: Manifest, rules: DiffRules): string {
  const normal = normalize(object, rules);
  const metadata = Object.entries(normal.metadata).filter(
    ([, value]) => !isRecord(value) || Object.keys(value).length > 0,
  );
  return canonicalJson({ ...normal, metadata: Object.fromEntries(metadata) });
}
