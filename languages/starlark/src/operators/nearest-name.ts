import { editDistance } from "@capstan/formats";

/** The name that is most like another, if it is near enough to have been meant (go.starlark.net, internal/spell). */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.floor((fold(name).length + 1) / 2);
  for (const candidate of candidates) {
    const distance = editDistance(fold(name), fold(candidate));
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

const fold = (name: string): string => name.replaceAll("_", "").toLowerCase();
