import type { KubeObject } from "../../types.ts";
import { isKubeObject } from "../json.ts";
import type { ResolvedSchema } from "../resolved-schema.ts";
import { atomOf } from "./atom.ts";
import { type Comparison, compareValues } from "./compare.ts";
import { filtered, type OwnershipRules, resetFields } from "./reset-fields.ts";

/** Objects whose versions differ by more than their name: owners note the fields of the version that they wrote. */
export interface OtherVersions {
  /** Undefined where the version is no more. */
  of(object: KubeObject, apiVersion: string): { schema: ResolvedSchema; object: KubeObject } | undefined;
}

interface Comparing {
  rules?: OwnershipRules;
  subresource?: string;
  versions?: OtherVersions | undefined;
}

interface Compared {
  apiVersion: string;
  seen: Comparison;
  before: unknown;
  after: unknown;
}

/** What changed, in each version that is asked for (structured-merge-diff merge/update.go, update). */
export function comparisons(
  { versions, rules, subresource }: Comparing,
  { apiVersion: own, seen, before, after }: Compared,
): (apiVersion: string) => Comparison | undefined {
  const known = new Map<string, Comparison | undefined>();
  const compare = (apiVersion: string): Comparison | undefined => {
    if (versions === undefined || apiVersion === own || !isKubeObject(before) || !isKubeObject(after))
      return seen;
    const [left, right] = [versions.of(before, apiVersion), versions.of(after, apiVersion)];
    if (left === undefined || right === undefined) return undefined;
    const { schema } = left;
    const reset = resetFields({ schema, ...(rules && { rules }), ...(subresource && { subresource }) });
    return filtered(compareValues(atomOf(schema), left.object, right.object), reset);
  };
  return (apiVersion) => {
    if (!known.has(apiVersion)) known.set(apiVersion, compare(apiVersion));
    return known.get(apiVersion);
  };
}
