import { nearestOf } from "@capstan/formats";

/** The name that is most like another, if it is near enough to have been meant (go.starlark.net, internal/spell). */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  return nearestOf(name, candidates, {
    fold,
    below: Math.floor((fold(name).length + 1) / 2),
    swaps: false,
  });
}

const fold = (name: string): string => name.replaceAll("_", "").toLowerCase();
