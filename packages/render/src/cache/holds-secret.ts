import { isRecord } from "@capstan/formats";

/**
 * Whether a manifest is a Secret or carries one, in a list or in a kind that makes objects of others (Crossplane's
 * Object, a ResourceSet). What a tenant nests deeper than `maxDepth` is taken to be one.
 */
export function holdsSecret(value: unknown, depth = 0): boolean {
  if (depth > maxDepth) return true;
  if (Array.isArray(value)) return value.some((one) => holdsSecret(one, depth + 1));
  if (typeof value === "string") return textOfSecret.test(value);
  if (!isRecord(value)) return false;
  if (value.kind === "Secret" || value.kind === "SecretList") return true;
  return Object.values(value).some((one) => holdsSecret(one, depth + 1));
}

const maxDepth = 200;
/** Manifests in texts: an annotation of kubectl apply, a template in a ConfigMap, values of an Application. */
const textOfSecret = /\bkind[\\"']{0,8}\s{0,8}:\s{0,8}[\\"']{0,8}Secret(?:List)?\b/;
