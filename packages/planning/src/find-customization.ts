import { compileGlob } from "@capstan/formats";
import type { ActionScripts, HealthScript, KindCustomization, Settings } from "@capstan/kube";
import { groupOf, type Manifest } from "@capstan/model";

/** The scripts that hold for a kind. */
interface KindScripts {
  health?: HealthScript;
  actions?: ActionScripts;
}

/** Finds the scripts of the settings that hold now; prepared once for each version of them. */
export function kindScripts(settings: { readonly current: Settings }): Find {
  let known: { from: readonly KindCustomization[]; find: Find } | undefined;
  return (live) => {
    const { customizations: from } = settings.current.general;
    if (known?.from !== from) known = { from, find: customizationFinder(from) };
    return known.find(live);
  };
}

type Find = (live: Pick<Manifest, "apiVersion" | "kind">) => KindScripts;

/**
 * Finds a kind's scripts: health by its own pattern, else by the first of the others in their order as texts, where
 * Argo CD takes any (util/lua GetHealthScript); actions by its own pattern alone (GetResourceAction).
 */
function customizationFinder(customizations: readonly KindCustomization[]): Find {
  const own = new Map(customizations.map((one) => [one.pattern, one]));
  const patterns = customizations
    .filter(({ health }) => health !== undefined)
    .sort((left, right) => (left.pattern < right.pattern ? -1 : 1))
    .map(({ pattern, health }) => ({ matches: compileGlob(pattern), health }));
  const known = new Map<string, KindScripts>();
  return ({ apiVersion, kind }) => {
    const group = groupOf(apiVersion);
    const name = group === "" ? kind : `${group}/${kind}`;
    const before = known.get(name);
    if (before) return before;
    const exact = own.get(name);
    const health = exact?.health ?? patterns.find(({ matches }) => matches?.(name))?.health;
    const found = { ...(health ? { health } : {}), ...(exact?.actions ? { actions: exact.actions } : {}) };
    known.set(name, found);
    return found;
  };
}
