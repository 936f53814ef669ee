import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parsePolicy } from "./parse-policy.ts";
import { describeProblem, type MatchMode } from "./policy.ts";

const parse = (text: string, mode?: MatchMode) => parsePolicy([{ name: "policy.csv", text }], mode);

const unreadable: readonly [line: string, mayDeny: boolean][] = [
  ["p, eve, applications, delete, deny", true],
  ['p, "eve, applications, delete, */*, deny', true],
  ['p, eve, applications, delete, */"*", deny', true],
  ['p, "eve" , applications, delete, */*, deny', true],
  ["P, eve, applications, delete, */*, deny", true],
  ["p eve applications delete */* deny", true],
  ["p, role:dev, applications, get", false],
  ["g, eve", false],
  [",", false],
];

for (const [line, mayDeny] of unreadable)
  test(`${line} cannot be read and ${mayDeny ? "may have denied something" : "gave rights at most"}`, () => {
    const { problems, rules } = parse(line);
    assert.deepEqual(
      problems.map((problem) => [problem.isUnreadable, problem.mayDeny]),
      [[true, mayDeny]],
    );
    assert.deepEqual(rules, []);
  });

const noted: readonly [line: string, mode: MatchMode, says: RegExp, isAllow?: boolean][] = [
  ["p, eve, applications, delete, */*, Deny", "glob", /effect is "Deny", which is taken as deny/, false],
  ["p, eve, applications, delete, */*, dney", "glob", /taken as deny/, false],
  ["p, role:dev, applications, get, */*, Allow", "glob", /the line gives nothing/],
  ["p, role:dev, applications, get, */*, alow", "glob", /the line gives nothing/],
  ["p, eve, applications, get, a/[, allow", "glob", /"a\/\[" is no pattern, so it matches nothing/],
  ["p, eve, applications, get, a/[, deny", "glob", /matches everything, since the line denies/, false],
  ["p, eve, applications, get, */*, allow", "regex", /no regular expression.*matches nothing/],
  ["p, eve, applications, get, (?!a)b, deny", "regex", /no regular expression.*everything/, false],
  ["p, eve , applications, get, a/*, allow", "glob", /the blank behind "eve" belongs to it/, true],
  ["p, eve, application, get, a/*, allow", "glob", /no resource is called application: they are/, true],
  ["m, anything", "glob", /says nothing/],
];

for (const [line, mode, says, isAllow] of noted)
  test(`${line}, read as ${mode}, is told and ${isAllow === undefined ? "gives nothing" : "holds"}`, () => {
    const { problems, rules } = parse(`# first\n${line}`, mode);
    assert.deepEqual(
      problems.map((problem) => [problem.isUnreadable, problem.mayDeny]),
      [[false, false]],
    );
    assert.match(problems.map(describeProblem).join(), says);
    assert.match(problems.map(describeProblem).join(), /^policy\.csv, line 2: /);
    assert.deepEqual(
      rules.map((rule) => rule.isAllow),
      isAllow === undefined ? [] : [isAllow],
    );
  });

test("a membership that cannot be read may be one of a role to which something is denied", () => {
  const { problems } = parsePolicy([
    { name: "policy.csv", text: "p, role:few, applications, delete, */*, deny" },
    { name: "policy.more.csv", text: "\ng, eve, role:few, more" },
  ]);
  assert.deepEqual(
    problems.map(({ source, line, mayDeny }) => [source, line, mayDeny]),
    [["policy.more.csv", 2, true]],
  );
});

test("a line that cannot be read is told with its number and leaves the others alone", () => {
  const policy = parse('# comment\n\np, a, b\np, a, b, c, d, perhaps\nx, y\ng, "a,b", role:x\ng, "open, y');
  assert.deepEqual(
    policy.problems.map(({ line }) => line),
    [3, 4, 5, 7],
  );
  assert.deepEqual(policy.grants, [{ member: "a,b", role: "role:x" }]);
});

test("quotes and blanks are Go's", () => {
  const { grants, problems } = parse('g,\t"a ""b"" ",role:x\r\n\u0085g, a b , "role:y"\ng,,');
  assert.deepEqual(grants, [
    { member: 'a "b" ', role: "role:x" },
    { member: "a b ", role: "role:y" },
    { member: "", role: "" },
  ]);
  assert.equal(problems.filter(({ isUnreadable }) => isUnreadable).length, 0);
});

test("no text makes the parser throw, and every line is a rule, a grant, a problem or nothing", () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[pg#", a-c]{0,20}$/), { maxLength: 10 }), (lines) => {
      const { rules, grants, problems } = parse(lines.join("\n"));
      const told = lines.filter((line) => line.trim() !== "" && !line.trim().startsWith("#"));
      const unread = problems.filter(({ isUnreadable }) => isUnreadable);
      assert.ok(rules.length + grants.length + unread.length <= told.length);
      assert.ok(rules.length + grants.length + problems.length >= told.length);
    }),
  );
});
