import { type DiffResult, type DiffRules, diffManifest, normalize } from "@capstan/engine";
import type { TenantCluster } from "@capstan/kube";
import { canonicalJson, fieldManager, isRecord, type Manifest } from "@capstan/model";

interface DryRunInput {
  target: Manifest;
  live: Manifest;
  rules: DiffRules;
  signal: AbortSignal;
}

export interface DryRunDiff {
  diff: DiffResult;
  /** What the object would be; absent when the server refused to say. */
  predicted: Manifest | undefined;
}

/** Asks the API server what applying would give (server-side diff, argocd-sync.md §3). A refusal counts as a change. */
export async function dryRunDiff(
  { client }: TenantCluster,
  { target, live, rules, signal }: DryRunInput,
): Promise<DryRunDiff> {
  const fields = diffManifest(target, live, rules).fields;
  try {
    const predicted = await client.apply(target, { fieldManager, force: true, dryRun: true, signal });
    const isSame = comparable(predicted, rules) === comparable(live, rules);
    return { diff: { verdict: isSame ? "same" : "modified", fields: isSame ? [] : fields }, predicted };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Error)) throw error;
    return { diff: { verdict: "modified", fields }, predicted: undefined };
  }
}

/** Annotations may come to an object as `{}` where there were none. */
function comparable(object: Manifest, rules: DiffRules): string {
  const normal = normalize(object, rules);
  const metadata = Object.entries(normal.metadata).filter(
    ([, value]) => !isRecord(value) || Object.keys(value).length > 0,
  );
  return canonicalJson({ ...normal, metadata: Object.fromEntries(metadata) });
}
