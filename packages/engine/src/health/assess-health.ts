import { finalizers, groupOf, type HealthStatus, type Manifest, versionOf } from "@capstan/model";
import { type HealthRule, health } from "./health-rule.ts";
import { healthRules } from "./health-rules.ts";

const rulesByKind: ReadonlyMap<string, HealthRule> = new Map(
  healthRules.map((rule) => [`${rule.group}/${rule.kind}`, rule]),
);

/**
 * What the operator's scripts say; comes before the rules. "none": the script gives this object no health. Undefined:
 * there is no script for this kind.
 */
export type CustomHealth = (live: Manifest) => HealthStatus | "none" | undefined;

/** Longer messages are cut: they are the object's own words, and stand in the status of its Application. */
const maxMessage = 2_000;

/** Nothing means that the kind has no health, which counts as good (gitops-engine pkg/health GetResourceHealth). */
export function assessHealth(live: Manifest, custom?: CustomHealth): HealthStatus | undefined {
  const found = assess(live, custom);
  const { message = "" } = found ?? {};
  if (found === undefined || message.length <= maxMessage) return found;
  return { ...found, message: `${message.slice(0, maxMessage)} …` };
}

function assess(live: Manifest, custom: CustomHealth | undefined): HealthStatus | undefined {
  const { deletionTimestamp, finalizers: holds = [] } = live.metadata;
  if (deletionTimestamp !== undefined && !holds.includes(finalizers.hook)) {
    return health("Progressing", "Pending deletion");
  }
  const scripted = custom?.(live);
  if (scripted !== undefined) return scripted === "none" ? undefined : scripted;
  const group = groupOf(live.apiVersion);
  const rule = rulesByKind.get(`${group}/${live.kind}`);
  if (rule === undefined) return undefined;
  const version = versionOf(live.apiVersion);
  if (rule.versions.length > 0 && !rule.versions.includes(version)) {
    return health("Unknown", `unsupported ${live.kind} version ${live.apiVersion}`);
  }
  return rule.assess(live);
}
