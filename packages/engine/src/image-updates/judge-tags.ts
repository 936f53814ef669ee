import { highestAllowed, matchesPath, parseConstraint, parseVersion } from "@capstan/formats";
import { tryRegexp } from "@capstan/formats/re2";
import type { ImageRule } from "./update-rules.ts";

/** Why a tag is not the one. */
export interface PassedOver {
  readonly tag: string;
  readonly because: string;
}

export interface TagVerdict {
  /** Those that may be the one; of which one is, the strategy says. */
  readonly candidates: readonly string[];
  readonly passedOver: readonly PassedOver[];
  /** The rule cannot be followed. */
  readonly problem?: string;
}

export interface TagChoice {
  /** Nothing: no tag fits. */
  readonly tag: string | undefined;
  readonly passedOver: readonly PassedOver[];
}

/** What was found of a tag's image: the strategy newest-build asks for it. */
export interface BuildFacts {
  readonly createdMs: number | undefined;
  readonly platforms: readonly string[];
  readonly isFitting: boolean;
}

type TagRule = Pick<ImageRule, "strategy" | "constraint" | "allow" | "ignore">;

/** The tags that a rule allows. */
export function judgeTags(tags: readonly string[], rule: TagRule): TagVerdict {
  const constraint = rule.strategy === "semver" ? parseConstraint(rule.constraint || "*") : undefined;
  if (rule.strategy === "semver" && !constraint) {
    const problem = `"${rule.constraint}" is no constraint of versions, as ^1.2 and ~1.2.3 are`;
    return { candidates: [], passedOver: [], problem };
  }
  if (rule.allow.kind === "none") return { candidates: [], passedOver: [], problem: rule.allow.because };
  const expression = rule.allow.kind === "regexp" ? tryRegexp(rule.allow.source) : undefined;
  const candidates: string[] = [];
  const passedOver: PassedOver[] = [];
  for (const tag of tags) {
    const because = objection(tag, rule, { constraint, expression });
    if (because === undefined) candidates.push(tag);
    else passedOver.push({ tag, because });
  }
  return { candidates, passedOver };
}

function objection(
  tag: string,
  { strategy, constraint: written, allow, ignore }: TagRule,
  found: {
    constraint: ReturnType<typeof parseConstraint>;
    expression: ReturnType<typeof tryRegexp>;
  },
): string | undefined {
  const { constraint, expression } = found;
  if (strategy === "digest" && tag !== written) return `only ${written} is followed`;
  if (expression && !expression.test(tag))
    return `allow-tags does not match it${allow.kind === "regexp" ? ` (${allow.source})` : ""}`;
  const ignored = ignore.find((pattern) => matchesPath(pattern, tag));
  if (ignored !== undefined) return `ignore-tags matches it (${ignored})`;
  if (!constraint) return undefined;
  const version = parseVersion(tag);
  if (!version) return "it is no version";
  if (constraint.allows(version)) return undefined;
  const isPreRelease = version.prerelease.length > 0;
  const release = isPreRelease && constraint.allows({ ...version, prerelease: [] });
  return release
    ? `it is a pre-release, which ${written || "*"} does not allow: add -0 to it`
    : `${written || "*"} does not allow it`;
}

/** The one of the candidates; `builds` of each of them for the strategy newest-build. */
export function chooseTag(
  candidates: readonly string[],
  rule: Pick<ImageRule, "strategy" | "platforms">,
  builds: ReadonlyMap<string, BuildFacts> = new Map(),
): TagChoice {
  if (rule.strategy === "newest-build") return newestBuild(candidates, rule, builds);
  const tag = rule.strategy === "semver" ? highest(candidates) : candidates.toSorted(byText).at(-1);
  const word = rule.strategy === "semver" ? "higher" : "later in the alphabet";
  return { tag, passedOver: others(candidates, tag, () => `${tag} is ${word}`) };
}

function highest(candidates: readonly string[]): string | undefined {
  const all = parseConstraint(">=0-0");
  return all && highestAllowed(candidates, all);
}

function newestBuild(
  candidates: readonly string[],
  { platforms }: Pick<ImageRule, "platforms">,
  builds: ReadonlyMap<string, BuildFacts>,
): TagChoice {
  const passedOver: PassedOver[] = [];
  const dated: { tag: string; createdMs: number }[] = [];
  for (const tag of candidates) {
    const build = builds.get(tag);
    if (!build) passedOver.push({ tag, because: "it was not looked at: there are too many" });
    else if (!build.isFitting)
      passedOver.push({
        tag,
        because: `it is for ${build.platforms.join(", ") || "no platform"}, not for ${platforms.join(", ")}`,
      });
    else if (build.createdMs === undefined)
      passedOver.push({ tag, because: "it does not say when it was built" });
    else dated.push({ tag, createdMs: build.createdMs });
  }
  dated.sort((left, right) => left.createdMs - right.createdMs || byText(left.tag, right.tag));
  const tag = dated.at(-1)?.tag;
  const later = others(
    dated.map((one) => one.tag),
    tag,
    () => `${tag} was built later`,
  );
  return { tag, passedOver: [...passedOver, ...later] };
}

function others(
  candidates: readonly string[],
  chosen: string | undefined,
  because: () => string,
): PassedOver[] {
  return candidates.filter((one) => one !== chosen).map((tag) => ({ tag, because: because() }));
}

function byText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
