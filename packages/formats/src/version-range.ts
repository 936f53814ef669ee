/** A semantic version (semver.org 2.0), its build left out. */
export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  readonly prerelease: readonly string[];
}

/**
 * Version constraints as github.com/Masterminds/semver/v3 evaluates them, which Argo CD and Helm use; npm semver
 * differs on commas, "!=", "=>" and pre-releases.
 */
interface VersionConstraint {
  allows(version: Version): boolean;
}

interface Comparison {
  operator: string;
  version: Version;
  /** Which of the parts were left out or a wildcard. */
  open: "major" | "minor" | "patch" | undefined;
}

const part = "[0-9]+|[xX*]";
const versionText = String.raw`v?(${part})(?:\.(${part}))?(?:\.(${part}))?(-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?`;
const operators = String.raw`=<|<=|=>|>=|!=|~>|=|<|>|~|\^|`;
const one = new RegExp(String.raw`^\s*(${operators})\s*${versionText}\s*`);
const range = new RegExp(String.raw`(${versionText})\s+-\s+(${versionText})`, "g");

/** Nothing when the text is no constraint. */
export function parseConstraint(text: string): VersionConstraint | undefined {
  const groups: Comparison[][] = [];
  for (const alternative of text.replace(range, rewriteRange).split("||")) {
    const group = parseGroup(alternative);
    if (!group) return undefined;
    groups.push(group);
  }
  return { allows: (version) => groups.some((group) => allowsAll(group, version)) };
}

/** A tag or chart version as Masterminds' NewVersion reads it: "v" and missing parts are accepted. */
export function parseVersion(text: string): Version | undefined {
  const match = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/.exec(text);
  if (!match) return undefined;
  const [, major, minor = "0", patch = "0", pre = ""] = match;
  return makeVersion([major ?? "", minor, patch], pre);
}

/** No part of a pre-release is empty or has a zero in front. */
function makeVersion(numbers: readonly [string, string, string], pre: string): Version | undefined {
  const prerelease = pre === "" ? [] : pre.split(".");
  const hasZero = prerelease.some((one) => /^0\d+$/.test(one));
  if (hasZero || prerelease.includes("") || numbers.some((one) => !Number.isSafeInteger(Number(one))))
    return undefined;
  const [major, minor, patch] = [Number(numbers[0]), Number(numbers[1]), Number(numbers[2])];
  return { major, minor, patch, prerelease };
}

/** As semver.org §11: a pre-release is before its release, numbers are before words. */
function compare(left: Version, right: Version): number {
  const order = left.major - right.major || left.minor - right.minor || left.patch - right.patch;
  if (order !== 0) return order;
  const [these, those] = [left.prerelease, right.prerelease];
  if (these.length === 0 || those.length === 0) return those.length - these.length;
  for (const [at, one] of these.entries()) {
    const other = those[at];
    if (other === undefined) return 1;
    const found = compareParts(one, other);
    if (found !== 0) return found;
  }
  return these.length - those.length;
}

function compareParts(one: string, other: string): number {
  const [isNumber, isOther] = [/^\d+$/.test(one), /^\d+$/.test(other)];
  if (isNumber && isOther) return Number(one) - Number(other);
  if (isNumber !== isOther) return isNumber ? -1 : 1;
  return one < other ? -1 : Number(one > other);
}

/** The newest of the versions in a range; nothing where none is, or the range is none. */
export function newestIn(range: string, versions: readonly string[]): string | undefined {
  const constraint = parseConstraint(range);
  return constraint && highestAllowed(versions, constraint);
}

/** The highest of the texts that the constraint allows, as it was written. */
export function highestAllowed(texts: Iterable<string>, constraint: VersionConstraint): string | undefined {
  let best: { text: string; version: Version } | undefined;
  for (const text of texts) {
    const version = parseVersion(text);
    if (!version || !constraint.allows(version)) continue;
    if (!best || compare(version, best.version) > 0) best = { text, version };
  }
  return best?.text;
}

function rewriteRange(whole: string): string {
  const [low, high] = whole.split(/\s+-\s+/);
  return `>=${low} <=${high}`;
}

function parseGroup(text: string): Comparison[] | undefined {
  if (text.trim() === "") return undefined;
  const group: Comparison[] = [];
  for (let rest = text; rest.trim() !== ""; ) {
    const match = one.exec(rest);
    if (!match) return undefined;
    const comparison = readComparison(match);
    if (!comparison) return undefined;
    group.push(comparison);
    const after = rest.slice(match[0].length);
    if (after !== "" && !/^[\s,]/.test(after) && !/\s$/.test(match[0])) return undefined;
    rest = after.replace(/^\s*,/, "");
  }
  return group;
}

function readComparison(match: RegExpExecArray): Comparison | undefined {
  const [, operator = "", major = "", minor, patch, pre = ""] = match;
  const isOpen = (text: string | undefined) => text === undefined || /^[xX*]$/.test(text);
  const open = isOpen(major) ? "major" : isOpen(minor) ? "minor" : isOpen(patch) ? "patch" : undefined;
  const known =
    open === "major"
      ? []
      : open === "minor"
        ? [major]
        : open === "patch"
          ? [major, minor]
          : [major, minor, patch];
  const [one = "0", two = "0", three = "0"] = known;
  const version = makeVersion([one, two, three], pre.slice(1));
  return version ? { operator, version, open } : undefined;
}

function allowsAll(group: readonly Comparison[], version: Version): boolean {
  // One pre-release in a group lets pre-releases in for all of it.
  const admitsPre = group.some((comparison) => comparison.version.prerelease.length > 0);
  if (version.prerelease.length > 0 && !admitsPre) return false;
  return group.every((comparison) => allowsOne(comparison, version));
}

function allowsOne(comparison: Comparison, version: Version): boolean {
  const { operator, version: bound, open } = comparison;
  const order = compare(version, bound);
  switch (operator) {
    case "!=":
      return open === undefined ? order !== 0 : !sameKnownParts(comparison, version);
    case ">":
      return isAbove(comparison, version, order);
    case "<":
      return order < 0;
    case ">=":
    case "=>":
      return order >= 0;
    case "<=":
    case "=<":
      return open === undefined ? order <= 0 : isBelow(comparison, version);
    case "^":
      return order >= 0 && withinCaret(comparison, version);
    case "~":
    case "~>":
      return order >= 0 && withinTilde(comparison, version);
    default:
      return open === undefined ? order === 0 : order >= 0 && withinTilde(comparison, version);
  }
}

function sameKnownParts({ version: bound, open }: Comparison, version: Version): boolean {
  if (version.major !== bound.major) return false;
  if (open === "minor") return true;
  return version.minor === bound.minor && (open === "patch" || version.patch === bound.patch);
}

/** "<=11" includes 11.9 and "<=11.1" includes 11.1.9. */
function isBelow({ version: bound, open }: Comparison, version: Version): boolean {
  if (version.major !== bound.major) return version.major < bound.major;
  return open === "minor" || version.minor <= bound.minor;
}

/** ">11" excludes 11.1 and ">11.1" excludes 11.1.1: the parts left out are all covered. */
function isAbove({ version: bound, open }: Comparison, version: Version, order: number): boolean {
  if (open === undefined) return order > 0;
  if (version.major !== bound.major) return version.major > bound.major;
  if (open === "minor") return false;
  return open === "patch" ? version.minor > bound.minor : order > 0;
}

function withinTilde(comparison: Comparison, version: Version): boolean {
  const { version: bound, open } = comparison;
  // "~0.0.0" and "*" accept everything, as Masterminds' constraintTilde does.
  const isZero = bound.major === 0 && bound.minor === 0 && bound.patch === 0;
  if (isZero && open !== "minor" && open !== "patch") return true;
  return version.major === bound.major && (open === "minor" || version.minor === bound.minor);
}

function withinCaret({ version: bound, open }: Comparison, version: Version): boolean {
  if (bound.major > 0 || open === "minor") return version.major === bound.major;
  if (version.major > 0) return false;
  if (bound.minor > 0 || open === "patch") return version.minor === bound.minor;
  return version.minor === 0 && version.patch === bound.patch;
}
