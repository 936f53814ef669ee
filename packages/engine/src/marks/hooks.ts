import { annotationKeys, annotationList, type Manifest, type SyncPhase } from "@capstan/model";

export type HookType = "PreSync" | "Sync" | "PostSync" | "SyncFail" | "Skip" | "PreDelete" | "PostDelete";
export type HookDeletePolicy = "HookSucceeded" | "HookFailed" | "BeforeHookCreation";

const hookTypes: ReadonlyMap<string, HookType> = new Map(
  (["PreSync", "Sync", "PostSync", "SyncFail", "Skip", "PreDelete", "PostDelete"] as const).map((type) => [
    type,
    type,
  ]),
);

/** gitops-engine pkg/sync/hook/helm. crd-install is an ordinary object; test and rollback are left out. */
const helmTypes: ReadonlyMap<string, HookType> = new Map([
  ["pre-install", "PreSync"],
  ["pre-upgrade", "PreSync"],
  ["post-install", "PostSync"],
  ["post-upgrade", "PostSync"],
  ["pre-delete", "PreDelete"],
  ["post-delete", "PostDelete"],
]);

const deletePolicies: ReadonlyMap<string, HookDeletePolicy> = new Map([
  ["HookSucceeded", "HookSucceeded"],
  ["HookFailed", "HookFailed"],
  ["BeforeHookCreation", "BeforeHookCreation"],
]);

const helmDeletePolicies: ReadonlyMap<string, HookDeletePolicy> = new Map([
  ["hook-succeeded", "HookSucceeded"],
  ["hook-failed", "HookFailed"],
  ["before-hook-creation", "BeforeHookCreation"],
]);

/** Most objects are no hooks, and each is asked many times. */
const none: ReadonlySet<never> = new Set<never>();

function translate<T>(names: ReadonlySet<string>, table: ReadonlyMap<string, T>): ReadonlySet<T> {
  if (names.size === 0) return none;
  const found = new Set<T>();
  for (const name of names) {
    const value = table.get(name);
    if (value !== undefined) found.add(value);
  }
  return found;
}

/** Argo CD's annotation wins over Helm's. */
export function hookTypesOf(manifest: Manifest): ReadonlySet<HookType> {
  const own = translate(annotationList(manifest, annotationKeys.hook), hookTypes);
  return own.size > 0 ? own : translate(annotationList(manifest, annotationKeys.helmHook), helmTypes);
}

/** Whether an object is a hook; one that is only to be skipped is not. */
export function isHook(manifest: Manifest): boolean {
  const types = hookTypesOf(manifest);
  return types.size > 0 && !isSkipAlone(types);
}

/** What is there stays as it is, and what is not there is not made (gitops-engine pkg/sync/hook/hook.go Skip). */
export function isSkippedByHook(manifest: Manifest): boolean {
  return isSkipAlone(hookTypesOf(manifest));
}

const isSkipAlone = (types: ReadonlySet<HookType>): boolean => types.size === 1 && types.has("Skip");

/** Without a status, never applied: Skip alone, and Helm hooks that have no place in a sync (hook.Ignore of gitops-engine). */
export function isIgnoredByHook(manifest: Manifest): boolean {
  const types = hookTypesOf(manifest);
  if (types.size > 0) return isSkipAlone(types);
  const helm = annotationList(manifest, annotationKeys.helmHook);
  return helm.size > 0 && !helm.has("crd-install");
}

/** Phases of a sync in which a hook runs. */
export function hookPhases(manifest: Manifest): SyncPhase[] {
  const types = hookTypesOf(manifest);
  return (["PreSync", "Sync", "PostSync", "SyncFail"] as const).filter((phase) => types.has(phase));
}

export function hookDeletePolicies(manifest: Manifest): ReadonlySet<HookDeletePolicy> {
  const policies = new Set([
    ...translate(annotationList(manifest, annotationKeys.hookDeletePolicy), deletePolicies),
    ...translate(annotationList(manifest, annotationKeys.helmHookDeletePolicy), helmDeletePolicies),
  ]);
  return policies.size > 0 ? policies : new Set(["BeforeHookCreation"] as const);
}
