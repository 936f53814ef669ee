type Version = readonly [major: number, minor: number, patch: number];

/** Whether a tag asks for a version that behaves as ours: the same major version, or no version at all. */
export function isVersionIn(tag: string, ours: string): boolean {
  const [wanted, own] = [readVersion(tag), readVersion(ours)];
  return wanted === undefined || own === undefined || wanted[0] === own[0];
}

const part = /^(?:~>?|\^|[<>!]=?|=[<>]?)?v?(?:\d+|[xX*])(?:\.(?:\d+|[xX*])){0,2}$/;

/** A range of versions as `tag:` may have it; one version alone is none, nor is a word. */
export function isRange(tag: string): boolean {
  if (/^v?\d+(?:\.\d+){0,2}(?:[-+].*)?$/.test(tag)) return false;
  return alternativesOf(tag).every((parts) => parts.length > 0 && parts.every((one) => part.test(one)));
}

/** The newest version in a range; nothing where none is (Masterminds/semver constraints). */
export function newestIn(range: string, versions: readonly string[]): string | undefined {
  const alternatives = alternativesOf(range);
  const matching = versions.filter((text) => {
    const version = readVersion(text);
    return version && alternatives.some((parts) => parts.every((one) => satisfies(version, one)));
  });
  const zero: Version = [0, 0, 0];
  return matching.sort((one, other) => compare(readVersion(other) ?? zero, readVersion(one) ?? zero))[0];
}

/** "1.2 - 1.4, != 1.3.1" is ">=1.2", "<=1.4" and "!=1.3.1". */
function alternativesOf(range: string): string[][] {
  return range.split("||").map((alternative) =>
    alternative
      .replace(/(\S+)\s+-\s+(\S+)/g, ">=$1 <=$2")
      .replace(/([~^<>=!])\s+/g, "$1")
      .split(/[\s,]+/)
      .filter((one) => one !== ""),
  );
}

function satisfies(version: Version, text: string): boolean {
  const [, operator = "", wantedText = ""] = /^([~^<>=!]*)v?(.*)$/.exec(text) ?? [];
  const numbers = wantedText
    .split(".")
    .filter((one) => /^\d+$/.test(one))
    .map(Number);
  const wanted: Version = [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0];
  const order = compare(version, wanted);
  const isSame = (length: number): boolean => wanted.slice(0, length).every((one, at) => one === version[at]);
  const isWithin = isSame(numbers.length);
  switch (operator) {
    case "~":
    case "~>":
      return order >= 0 && isSame(Math.min(numbers.length, 2));
    case "^":
      return order >= 0 && isSame(caretLength(numbers));
    case ">":
      return order > 0 && !isWithin;
    case ">=":
    case "=>":
      return order >= 0;
    case "<":
      return order < 0;
    case "<=":
    case "=<":
      return order <= 0 || isWithin;
    case "!=":
      return !isWithin;
    default:
      return isWithin;
  }
}

/** How many numbers stay: up to the first that is not 0. */
function caretLength(numbers: readonly number[]): number {
  const first = numbers.findIndex((one) => one > 0);
  return first < 0 ? Math.min(numbers.length, 3) : first + 1;
}

function compare(one: Version, other: Version): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

function readVersion(tag: string): Version | undefined {
  const match = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(tag);
  return match ? [Number(match[1]), Number(match[2] ?? 0), Number(match[3] ?? 0)] : undefined;
}
