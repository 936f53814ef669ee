type Version = readonly [major: number, minor: number, patch: number];

/** Whether a tag asks for a version that behaves as ours: the same major version, or no version at all. */
export function isVersionIn(tag: string, ours: string): boolean {
  const [wanted, own] = [read(tag), read(ours)];
  return wanted === undefined || own === undefined || wanted[0] === own[0];
}

/** The tag to use for `tag:`: ours where it satisfies the constraint; nothing where it is no constraint. */
export function highestMatching(constraint: string, ours: string | undefined): string | undefined {
  const own = ours === undefined ? undefined : read(ours);
  if (!own || /^v?\d+(\.\d+)*$/.test(constraint)) return undefined;
  const alternatives = constraint.split("||").map((one) =>
    one
      .trim()
      .split(/[\s,]+/)
      .filter((part) => part !== ""),
  );
  const isSatisfied = alternatives.some((parts) => parts.every((part) => satisfies(own, part)));
  return isSatisfied ? `v${ours}` : undefined;
}

function satisfies(version: Version, part: string): boolean {
  const [, operator = "", text = ""] = /^([~^<>=!]*)v?(.*)$/.exec(part) ?? [];
  const numbers = text
    .split(".")
    .filter((one) => /^\d+$/.test(one))
    .map(Number);
  const wanted: Version = [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0];
  const order = compare(version, wanted);
  const isSame = (length: number): boolean => wanted.slice(0, length).every((one, at) => one === version[at]);
  switch (operator) {
    case "~":
      return order >= 0 && isSame(Math.min(numbers.length, 2));
    case "^":
      return order >= 0 && isSame(wanted[0] > 0 || numbers.length < 2 ? 1 : 2);
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case "!=":
      return order !== 0;
    default:
      return isSame(numbers.length);
  }
}

function compare(one: Version, other: Version): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

function read(tag: string): Version | undefined {
  const match = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(tag);
  return match ? [Number(match[1]), Number(match[2] ?? 0), Number(match[3] ?? 0)] : undefined;
}
