import { canonicalJson, isRecord, KeyIndex } from "@capstan/formats";
import { isManifest, type Manifest } from "@capstan/model";
import type { DiffRules } from "./diff-rules.ts";
import { type FieldSet, isLeaf, ownManagers, readFieldSet } from "./field-set.ts";
import { type Fields, findItem, keyFields, keyNames } from "./keyed-items.ts";

/**
 * The live object with what applying changes in it of our own: without what admission webhooks, policies and defaults
 * put there on the way. A value counts that is ours in one of both, and so does whatever goes (gitops-engine pkg/diff
 * removeWebhookMutation, where a default in place of a value that git says no more is no difference).
 */
export function withOwnChanges(live: Manifest, predicted: Manifest, { managers }: DiffRules): Manifest {
  const after = readFieldSet(predicted);
  if (after === undefined) return predicted;
  const before = readFieldSet(live);
  const merge = merging(managers ?? ownManagers);
  const { apiVersion, kind } = predicted;
  const merged = merge({ live, predicted, before, after });
  const whole = { ...Object(merged), apiVersion, kind };
  return isManifest(whole) ? whole : predicted;
}

interface Sides {
  readonly live: unknown;
  readonly predicted: unknown;
  readonly before: FieldSet | undefined;
  readonly after: FieldSet | undefined;
}

function merging(ours: ReadonlySet<string>): (sides: Sides) => unknown {
  const isOurs = (owned: FieldSet | undefined): boolean =>
    owned !== undefined && [...owned.owners].some((owner) => ours.has(owner));
  const isWhollyOurs = (owned: FieldSet | undefined): boolean =>
    owned !== undefined && isLeaf(owned) && isOurs(owned);

  const merge = (sides: Sides): unknown => {
    const { live, predicted, before, after } = sides;
    if (predicted === undefined || isWhollyOurs(after) || isWhollyOurs(before)) return predicted;
    if (isRecord(predicted)) return mergeFields(sides, predicted, isRecord(live) ? live : undefined);
    if (Array.isArray(predicted)) return mergeLists(sides, predicted, Array.isArray(live) ? live : undefined);
    return live;
  };

  const mergeFields = (sides: Sides, predicted: Fields, live: Fields | undefined): unknown => {
    const { before, after } = sides;
    const fields = Object.keys({ ...live, ...predicted }).map((name): [string, unknown] => [
      name,
      merge({
        live: live && valueAt(live, name),
        predicted: valueAt(predicted, name),
        before: before?.fields.get(name),
        after: after?.fields.get(name),
      }),
    ]);
    const merged = Object.fromEntries(fields.filter(([, value]) => value !== undefined));
    const isMade = live !== undefined || Object.keys(merged).length > 0 || isOurs(after);
    return isMade ? merged : sides.live;
  };

  const mergeLists = (sides: Sides, predicted: readonly unknown[], live: readonly unknown[] = []) => {
    const { before, after } = sides;
    const keyed = [after, before].find((owned) => owned !== undefined && owned.items.length > 0);
    if (keyed) return mergeItems(sides, keyNames(keyed), { predicted, live });
    const members = [...(after?.members ?? []), ...(before?.members ?? [])];
    if (members.length === 0) return sides.live;
    const kept = new Set(live.map(canonicalJson));
    for (const { value, owners } of after?.members ?? [])
      if ([...owners].some((owner) => ours.has(owner))) kept.add(canonicalJson(value));
    return predicted.filter((value) => kept.has(canonicalJson(value)));
  };

  const mergeItems = (
    { before, after }: Sides,
    names: readonly string[],
    { predicted, live }: { predicted: readonly unknown[]; live: readonly unknown[] },
  ): unknown[] => {
    const index = new KeyIndex(live, (item: unknown) => item);
    return predicted.flatMap((item) => {
      if (!isRecord(item)) return [item];
      const [match] = index.matching(names, item);
      const owned = after && findItem(after, item)?.set;
      const merged = merge({
        live: match,
        predicted: item,
        before: before && findItem(before, match)?.set,
        after: owned,
      });
      if (match === undefined && !isRecord(merged)) return [];
      // What tells it from others is part of it, whoever owns that.
      return [isRecord(merged) ? { ...keyFields(names, item), ...merged } : merged];
    });
  };
  return merge;
}

/** Of the object itself, whatever the name. */
function valueAt(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
