import {
  type HealthStatus,
  type HealthStatusCode,
  healthStatusCodes,
  type ResourceKey,
} from "@capstan/model";

export interface HealthPart {
  key: ResourceKey;
  /** In the cluster. */
  isLive: boolean;
  health?: HealthStatus;
  /** Hooks, objects with ignore-healthcheck, and an application that manages itself. */
  isIgnored?: boolean;
}

const rank: ReadonlyMap<HealthStatusCode, number> = new Map(
  healthStatusCodes.map((code, index) => [code, index]),
);

export function isWorseHealth(left: HealthStatusCode, right: HealthStatusCode): boolean {
  return (rank.get(left) ?? 0) > (rank.get(right) ?? 0);
}

const maxNamed = 3;

/**
 * The worst of the parts. One that is absent does not lower the whole, since OutOfSync tells that already; only
 * when all are absent is the whole Missing (controller/health.go setApplicationHealth).
 */
export function aggregateHealth(parts: readonly HealthPart[]): HealthStatus {
  const counted = parts.filter(({ isIgnored }) => isIgnored !== true);
  if (counted.length > 0 && counted.every(({ isLive }) => !isLive)) return { status: "Missing" };
  let worst: HealthStatusCode = "Healthy";
  let culprits: ResourceKey[] = [];
  for (const { key, isLive, health } of counted) {
    const status = health?.status;
    if (!isLive || status === undefined || isUncertainChild(key, status)) continue;
    if (isWorseHealth(status, worst)) [worst, culprits] = [status, [key]];
    else if (status === worst) culprits.push(key);
  }
  if (worst === "Healthy") return { status: worst };
  return { status: worst, message: name(culprits) };
}

/** A child application that has not been looked at yet says nothing about its parent. */
function isUncertainChild({ group, kind }: ResourceKey, status: HealthStatusCode): boolean {
  return group === "argoproj.io" && kind === "Application" && (status === "Missing" || status === "Unknown");
}

/** As Argo CD writes it: Deployment:default/web. */
function culpritName({ kind, namespace, name }: ResourceKey): string {
  return `${kind}:${namespace === "" ? name : `${namespace}/${name}`}`;
}

function name(culprits: readonly ResourceKey[]): string {
  const shown = culprits.slice(0, maxNamed).map(culpritName).join(", ");
  const more = culprits.length - maxNamed;
  return `Caused by ${shown}${more > 0 ? `, … and ${more} more` : ""}`;
}
