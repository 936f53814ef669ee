import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createEnforcer, type EnforcerOptions } from "./enforcer.ts";
import { parsePolicy } from "./parse-policy.ts";

interface Fact {
  fact: string;
  csv?: string;
  options?: Partial<EnforcerOptions>;
  who: string;
  groups?: string[];
  /** resource, action, object */
  what: [string, string, string];
  project?: string;
  allowed: boolean;
}

const facts: Fact[] = [
  {
    fact: "nobody may do anything by default",
    who: "eve",
    what: ["applications", "get", "a/b"],
    allowed: false,
  },
  { fact: "admin may do all", who: "admin", what: ["applications", "sync", "a/b"], allowed: true },
  { fact: "admin reads by way of readonly", who: "admin", what: ["logs", "get", "a/b"], allowed: true },
  {
    fact: "admin may not invoke extensions",
    who: "admin",
    what: ["extensions", "invoke", "x"],
    allowed: false,
  },
  {
    fact: "the default role reads",
    options: { defaultRole: "role:readonly" },
    who: "eve",
    what: ["applications", "get", "a/b"],
    allowed: true,
  },
  {
    fact: "a deny cannot cancel an allow of the default role",
    csv: "p, eve, applications, get, a/b, deny",
    options: { defaultRole: "role:readonly" },
    who: "eve",
    what: ["applications", "get", "a/b"],
    allowed: true,
  },
  {
    fact: "a star in an object crosses slashes",
    csv: "p, eve, applications, get, team/*, allow",
    who: "eve",
    what: ["applications", "get", "team/ns/app"],
    allowed: true,
  },
  {
    fact: "a deny wins within one subject",
    csv: "p, eve, applications, *, */*, allow\np, eve, applications, delete, */*, deny",
    who: "eve",
    what: ["applications", "delete", "a/b"],
    allowed: false,
  },
  {
    fact: "roles of roles count",
    csv: "g, eve, role:a\ng, role:a, role:b\np, role:b, clusters, get, *, allow",
    who: "eve",
    what: ["clusters", "get", "https://k"],
    allowed: true,
  },
  {
    fact: "roles in a circle end",
    csv: "g, eve, role:a\ng, role:a, eve",
    who: "eve",
    what: ["clusters", "get", "x"],
    allowed: false,
  },
  {
    fact: "groups count when a g line names them",
    csv: "g, devs, role:readonly",
    who: "eve",
    groups: ["devs"],
    what: ["applications", "get", "a/b"],
    allowed: true,
  },
  {
    fact: "a group that only a p line names is nothing",
    csv: "p, devs, applications, get, */*, allow",
    who: "eve",
    groups: ["devs"],
    what: ["applications", "get", "a/b"],
    allowed: false,
  },
  {
    fact: "a deny of one group does not cancel another group's allow",
    csv: "g, a, role:a\ng, b, role:b\np, role:a, applications, get, */*, deny\np, role:b, applications, get, */*, allow",
    who: "eve",
    groups: ["a", "b"],
    what: ["applications", "get", "x/y"],
    allowed: true,
  },
  {
    fact: "policies of the project join",
    project: "p, proj:team:dev, applications, sync, team/*, allow\ng, devs, proj:team:dev",
    who: "eve",
    groups: ["devs"],
    what: ["applications", "sync", "team/app"],
    allowed: true,
  },
  {
    fact: "regular expressions where the settings say so",
    csv: "p, eve, applications, get, team-[0-9]+/.*, allow",
    options: { matchMode: "regex" },
    who: "eve",
    what: ["applications", "get", "team-12/app"],
    allowed: true,
  },
];

for (const { fact, csv = "", options, who, groups, what, project, allowed } of facts) {
  test(fact, () => {
    const enforcer = createEnforcer({ policies: [parsePolicy(csv)], ...options });
    const [resource, action, object] = what;
    const request = { subject: who, resource, action, object, ...(groups === undefined ? {} : { groups }) };
    const joined = project === undefined ? request : { ...request, projectPolicy: parsePolicy(project) };
    assert.equal(enforcer.allows(joined), allowed);
  });
}

test("a line that cannot be read is told with its number and leaves the others alone", () => {
  const policy = parsePolicy(
    '# comment\n\np, a, b\np, a, b, c, d, perhaps\nx, y\ng, "a,b", role:x\ng, "open, y',
  );
  assert.deepEqual(
    policy.problems.map(({ line }) => line),
    [3, 4, 5, 7],
  );
  assert.deepEqual(policy.grants, [{ member: "a,b", role: "role:x" }]);
});

test("no text makes the parser throw, and every line is a rule, a grant, a problem or nothing", () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[pg#", a-c]{0,20}$/), { maxLength: 10 }), (lines) => {
      const { rules, grants, problems } = parsePolicy(lines.join("\n"));
      const told = lines.filter((line) => line.trim() !== "" && !line.trim().startsWith("#"));
      assert.equal(rules.length + grants.length + problems.length, told.length);
    }),
  );
});

test("answers are those of reading every rule for every role", () => {
  const name = fc.constantFrom("u", "r1", "r2", "r3");
  const rule = fc.record({
    subject: name,
    resource: fc.constantFrom("applications", "*"),
    action: fc.constantFrom("get", "*", "sync"),
    object: fc.constantFrom("a/*", "a/b", "*"),
    isAllow: fc.boolean(),
  });
  const grant = fc.record({ member: name, role: name });
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 8 }), fc.array(grant, { maxLength: 5 }), (rules, grants) => {
      const enforcer = createEnforcer({ policies: [{ rules, grants, problems: [] }] });
      const has = (role: string, seen: string[] = []): boolean =>
        role === "u" ||
        grants.some(
          (one) => one.role === role && !seen.includes(one.member) && has(one.member, [...seen, role]),
        );
      const hits = rules.filter(
        ({ subject, action }) => has(subject) && (action === "*" || action === "get"),
      );
      const expected = hits.some(({ isAllow }) => isAllow) && hits.every(({ isAllow }) => isAllow);
      const request = { subject: "u", resource: "applications", action: "get", object: "a/b" };
      assert.equal(enforcer.allows(request), expected);
    }),
    { numRuns: 500 },
  );
});
