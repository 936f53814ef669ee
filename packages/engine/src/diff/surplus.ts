import { isRecord } from "@capstan/formats";

/**
 * Whether a live value has fields that the desired one lacks, within something that is replaced as a whole. Such a
 * field is a leftover or a default; a default that is always the same is none, whoever wrote it.
 */
export function hasSurplus(live: unknown, desired: unknown, path: readonly string[]): boolean {
  if (Array.isArray(live)) {
    return (
      Array.isArray(desired) && live.some((item, index) => hasSurplus(item, desired[index], [...path, "[]"]))
    );
  }
  if (!isRecord(live) || !isRecord(desired)) return false;
  return Object.entries(live).some(([name, value]) => {
    if (value === undefined || value === null) return false;
    if (desired[name] === undefined || desired[name] === null) return !isDefault(path, name, { value, live });
    return hasSurplus(value, desired[name], [...path, name]);
  });
}

interface Field {
  value: unknown;
  /** The object that it is a field of. */
  live: { readonly [name: string]: unknown };
}

/** Name of the nearest field, list positions left out. */
function parentOf(path: readonly string[]): string {
  return path.findLast((part) => !part.startsWith("[")) ?? "";
}

/** Defaults within atomic lists and maps of built-in kinds (kubernetes pkg/apis defaults.go). */
function isDefault(path: readonly string[], name: string, { value, live }: Field): boolean {
  const parent = parentOf(path);
  const isTemplate = parent === "volumeClaimTemplates";
  switch (name) {
    case "protocol":
      return value === "TCP";
    case "apiVersion":
      return value === "v1" && (parent === "fieldRef" || isTemplate);
    case "kind":
      return value === "PersistentVolumeClaim" && isTemplate;
    case "status":
      return isTemplate;
    case "volumeMode":
      return value === "Filesystem";
    case "divisor":
      return value === "0";
    case "scope":
      return value === "*" && parent === "rules";
    case "apiGroup":
      return (
        parent === "subjects" && value === (live.kind === "ServiceAccount" ? "" : "rbac.authorization.k8s.io")
      );
    default:
      return false;
  }
}
