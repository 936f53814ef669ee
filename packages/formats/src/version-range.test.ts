import assert from "node:assert/strict";
import { test } from "node:test";
import { highestAllowed, newestIn, parseConstraint, parseVersion } from "./version-range.ts";

/** Constraint, versions it allows, versions it does not: the rules of github.com/Masterminds/semver v3. */
const cases: [constraint: string, allowed: string[], refused: string[]][] = [
  ["*", ["0.0.1", "9.9.9"], ["1.0.0-rc.1"]],
  ["1.x", ["1.0.0", "1.9.9"], ["2.0.0", "0.9.0", "1.1.0-beta"]],
  ["1.2", ["1.2.0", "1.2.9"], ["1.3.0"]],
  ["=1.2.3", ["1.2.3", "v1.2.3"], ["1.2.4"]],
  ["!=1.2.3", ["1.2.4"], ["1.2.3"]],
  ["!=1.x", ["2.0.0"], ["1.2.3"]],
  [">1", ["2.0.0"], ["1.0.0", "1.9.0"]],
  [">1.1", ["1.2.0", "2.0.0"], ["1.1.9"]],
  ["<=1", ["1.9.9", "0.1.0"], ["2.0.0"]],
  ["<=1.1", ["1.1.9"], ["1.2.0"]],
  ["=>1.2.3", ["1.2.3", "2.0.0"], ["1.2.2"]],
  ["=<1.2.3", ["1.2.3"], ["1.2.4"]],
  ["~1.2.3", ["1.2.3", "1.2.9"], ["1.3.0"]],
  ["~1", ["1.9.0"], ["2.0.0"]],
  ["~>1.2", ["1.2.9"], ["1.3.0"]],
  ["^1.2.3", ["1.9.0"], ["2.0.0", "1.2.2"]],
  ["^0.2.3", ["0.2.9"], ["0.3.0"]],
  ["^0.0.3", ["0.0.3"], ["0.0.4"]],
  ["^0.0", ["0.0.9"], ["0.1.0"]],
  ["^0", ["0.9.0"], ["1.0.0"]],
  [">=1.0.0, <2.0.0", ["1.5.0"], ["2.0.0"]],
  [">=1.0.0 <2.0.0", ["1.5.0"], ["2.0.0"]],
  ["<1.0.0 || >=2.0.0", ["0.9.0", "2.1.0"], ["1.5.0"]],
  ["1.2 - 1.4.5", ["1.2.0", "1.4.5"], ["1.4.6", "1.1.0"]],
  [">=1.0.0-0", ["1.0.0-rc.1", "1.1.0-beta", "2.0.0"], ["0.9.0"]],
  [">=1.0.0-0, <2.0.0", ["1.5.0-alpha"], ["2.0.0"]],
];

for (const [text, allowed, refused] of cases)
  test(`${text} allows ${allowed.join(", ")} and refuses ${refused.join(", ")}`, () => {
    const constraint = parseConstraint(text);
    assert.ok(constraint);
    const isAllowed = (version: string) => {
      const parsed = parseVersion(version);
      return parsed !== undefined && constraint.allows(parsed);
    };
    assert.deepEqual(
      allowed.filter((version) => !isAllowed(version)),
      [],
    );
    assert.deepEqual(refused.filter(isAllowed), []);
  });

test("branch names and empty texts are no constraints", () => {
  for (const text of ["main", "release-1", "", "1.0.0 || ", "feature/1.0", "1.0.0.0"])
    assert.equal(parseConstraint(text), undefined, text);
});

test("the highest allowed is given as it was written, whatever is no version passed over", () => {
  const constraint = parseConstraint("1.x");
  assert.ok(constraint);
  assert.equal(highestAllowed(["v1.0.0", "latest", "1.10.0", "v1.9.0", "2.0.0"], constraint), "1.10.0");
  assert.equal(highestAllowed(["0.1.0"], constraint), undefined);
});

test("versions as Masterminds reads them", () => {
  for (const text of ["1", "v1.2", "01.2.3", "1.2.3-rc.1+b.01"]) assert.ok(parseVersion(text), text);
  for (const text of ["x", "1.2.3.4", "1.2.3-01", "1.2.3-a..b", "1.2.3-", "latest", " 1.2.3", "1.2\n"])
    assert.equal(parseVersion(text), undefined, text);
});

test("pre-releases are ordered by semver.org §11", () => {
  const ordered = ["1.0.0-2", "1.0.0-10", "1.0.0-a", "1.0.0-a.1", "1.0.0-b", "1.0.0"];
  for (const [at, one] of ordered.entries())
    assert.equal(newestIn(">=0-0", ordered.slice(0, at + 1).reverse()), one);
});

test("a range of versions is answered by the newest in it", () => {
  const versions = ["v0.1.9", "v0.2.0", "v0.2.1", "v0.3.4", "v1.0.0", "v1.2.3"];
  const newest: Readonly<Record<string, string | undefined>> = {
    "0.1 - 0.2": "v0.2.1",
    "~0.2.0": "v0.2.1",
    "^0": "v0.3.4",
    ">= 0.2, < 1": "v0.3.4",
    "!=1.2.3": "v1.0.0",
    "0.1.x || ~0.3": "v0.3.4",
    "~2": undefined,
    latest: undefined,
  };
  for (const [range, wanted] of Object.entries(newest))
    assert.equal(newestIn(range, versions), wanted, range);
});
