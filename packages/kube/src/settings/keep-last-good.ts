import type { GeneralSettings, Settings, SettingsProblem, UnreadableSetting } from "./settings.ts";

/** What of argocd-cm protects something, by the settings that each part is read from; a trailing dot is a beginning. */
const guarded: readonly { part: keyof GeneralSettings; fields: readonly string[] }[] = [
  { part: "exclusions", fields: ["resource.exclusions"] },
  { part: "inclusions", fields: ["resource.inclusions"] },
  { part: "customizations", fields: ["resource.customizations"] },
  {
    part: "ignoreDifferences",
    fields: ["resource.customizations", "resource.customizations.ignoreDifferences."],
  },
  { part: "tracking", fields: ["application.resourceTrackingMethod"] },
  { part: "inClusterEnabled", fields: ["cluster.inClusterEnabled"] },
  {
    part: "impersonation",
    fields: ["application.sync.impersonation.enabled", "application.sync.impersonation.enforced"],
  },
  { part: "globalProjects", fields: ["globalProjects"] },
];

/**
 * Where a setting that protects something has become unreadable, the value of before stays in force: a typing
 * error in resource.exclusions must not bring in everything that was excluded.
 */
export function keepLastGood(read: Settings, previous: Settings | undefined): Settings {
  const unreadable: UnreadableSetting[] = [];
  const general: GeneralSettings = { ...read.general };
  for (const { part, fields } of guarded) {
    const problems = read.problems.filter((problem) => isOf(problem, fields));
    if (problems.length === 0) continue;
    const isKept = previous !== undefined && !lacksGood(previous, fields);
    const isNew = (problem: SettingsProblem) => !unreadable.some(({ field }) => field === problem.field);
    unreadable.push(...problems.filter(isNew).map((problem) => ({ ...problem, isKept })));
    if (previous) keep(general, previous.general, part);
  }
  // Whoever logs in by it must not be shut out by a typing error.
  if (general.oidc === undefined && previous?.general.oidc && read.problems.some(isOfLogin))
    general.oidc = previous.general.oidc;
  general.extensions ??= previous?.general.extensions;
  return { ...read, general, rbac: keepRbac(read, previous), unreadable };
}

/** Denials that are read in the other mode deny nothing, and other claims than before may hold anything. */
function keepRbac({ rbac, problems }: Settings, previous: Settings | undefined): Settings["rbac"] {
  if (!previous) return rbac;
  const isBad = (field: string) =>
    problems.some((problem) => problem.where === "ConfigMap argocd-rbac-cm" && problem.field === field);
  return {
    ...rbac,
    ...(isBad("scopes") ? { scopes: previous.rbac.scopes } : {}),
    ...(isBad("policy.matchMode") ? { matchMode: previous.rbac.matchMode } : {}),
  };
}

function keep<Part extends keyof GeneralSettings>(
  general: GeneralSettings,
  from: GeneralSettings,
  part: Part,
): void {
  general[part] = from[part];
}

function isOfLogin(problem: SettingsProblem): boolean {
  return isOf(problem, ["oidc.config", "dex.config"]);
}

/** There never was a good value: what is kept is then the default. */
function lacksGood({ unreadable }: Settings, fields: readonly string[]): boolean {
  return unreadable.some((one) => !one.isKept && isOf(one, fields));
}

function isOf({ where, field }: SettingsProblem, fields: readonly string[]): boolean {
  if (where !== "ConfigMap argocd-cm") return false;
  return fields.some((name) => (name.endsWith(".") ? field.startsWith(name) : field === name));
}
