import { type DiffRules, ignoredManagers, keepManaged, normalize } from "@capstan/engine";
import { isRecord } from "@capstan/formats";
import { isManifest, type Manifest } from "@capstan/model";

/**
 * The target with the live values of the fields that ignoreDifferences names, so that a sync leaves them alone
 * (RespectIgnoreDifferences; controller/sync.go normalizeTargetResources). Which fields those are is seen by
 * normalising the live object with and without the rules, or by who manages them.
 */
export function respectIgnoredFields(target: Manifest, live: Manifest, rules: DiffRules): Manifest {
  const none: DiffRules = { ...rules, ignoreDifferences: [] };
  const whole = normalize(live, none);
  const rest = normalize(live, rules);
  const wanted = withoutIgnored(target, { full: normalize(target, none), rest: normalize(target, rules) });
  const merged = addIgnored(wanted, whole, rest);
  return keepManaged(isManifest(merged) ? merged : target, live, ignoredManagers(target, rules));
}

/** Takes from a value what is in `full` and not in `rest`. */
function withoutIgnored(value: unknown, { full, rest }: { full: unknown; rest: unknown }): unknown {
  if (Array.isArray(value) && Array.isArray(full) && Array.isArray(rest)) {
    if (full.length !== rest.length || value.length !== full.length) return rest;
    return value.map((item, index) => withoutIgnored(item, { full: full[index], rest: rest[index] }));
  }
  if (!isRecord(value) || !isRecord(full) || !isRecord(rest)) return value;
  const kept: { [field: string]: unknown } = {};
  for (const [field, below] of Object.entries(value)) {
    if (field in full && !(field in rest)) continue;
    kept[field] = withoutIgnored(below, { full: full[field], rest: rest[field] });
  }
  return kept;
}

/** Puts into a value what is in `whole` and not in `rest`. */
function addIgnored(value: unknown, whole: unknown, rest: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(whole) && Array.isArray(rest)) {
    if (whole.length !== rest.length) return whole;
    if (value.length !== whole.length) return value;
    return value.map((item, index) => addIgnored(item, whole[index], rest[index]));
  }
  if (!isRecord(value) || !isRecord(whole) || !isRecord(rest)) return value;
  const merged = { ...value };
  for (const [field, below] of Object.entries(whole)) {
    if (!(field in rest)) merged[field] = below;
    else if (field in merged) merged[field] = addIgnored(merged[field], below, rest[field]);
  }
  return merged;
}
