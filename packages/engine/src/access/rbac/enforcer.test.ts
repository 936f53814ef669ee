import assert from "node:assert/strict";
import { test } from "node:test";
import type { AppProject } from "@capstan/model";
import fc from "fast-check";
import { createEnforcer, type EnforcerOptions } from "./enforcer.ts";
import { parsePolicy } from "./parse-policy.ts";
import { readProjectPolicy } from "./project-policy.ts";

interface Fact {
  fact: string;
  csv?: string;
  options?: Partial<EnforcerOptions>;
  who: string;
  groups?: string[];
  /** An identity provider's. */
  isForeign?: true;
  /** resource, action, object */
  what: [string, string, string];
  project?: AppProject;
  allowed: boolean;
}

type Roles = NonNullable<AppProject["spec"]["roles"]>;
const project = (name: string, roles: Roles): AppProject => ({
  apiVersion: "argoproj.io/v1alpha1",
  kind: "AppProject",
  metadata: { name },
  spec: { roles },
});
const team = (...policies: string[]) => project("team", [{ name: "dev", policies, groups: ["devs"] }]);

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
    fact: "admin starts programs in Pods of applications, and in nothing else",
    who: "admin",
    what: ["exec", "create", "eve"],
    allowed: false,
  },
  {
    fact: "nobody has a right on what has a name of thousands of characters",
    who: "admin",
    what: ["applications", "get", `a/${"b".repeat(2_047)}`],
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
    project: team("p, proj:team:dev, applications, sync, team/*, allow"),
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
  {
    fact: "a deny line whose pattern is none denies whatever it might have meant",
    csv: "p, eve, applications, *, */*, allow\np, eve, applications, delete, team/[, deny",
    who: "eve",
    what: ["applications", "delete", "a/b"],
    allowed: false,
  },
  {
    fact: "in regex mode the built-in roles give nothing, since their patterns are no expressions",
    options: { matchMode: "regex" },
    who: "admin",
    what: ["applications", "get", "a/b"],
    allowed: false,
  },
  {
    fact: "a line without a subject is everybody's",
    csv: 'p, "", projects, get, *, allow',
    who: "eve",
    what: ["projects", "get", "a"],
    allowed: true,
  },
  {
    fact: "certificates have no name: a star gives the right on them",
    csv: "p, eve, certificates, create, *, allow",
    who: "eve",
    what: ["certificates", "create", ""],
    allowed: true,
  },
  {
    fact: "a role eleven memberships away is not found, and ten away it is",
    csv: `${Array.from({ length: 10 }, (_, at) => `g, r${at}, r${at + 1}`).join("\n")}\ng, far, r0\np, r10, exec, create, */*, allow`,
    who: "far",
    what: ["exec", "create", "a/b"],
    allowed: false,
  },
  {
    fact: "a role ten memberships away is found",
    csv: `${Array.from({ length: 10 }, (_, at) => `g, r${at}, r${at + 1}`).join("\n")}\np, r10, exec, create, */*, allow`,
    who: "r0",
    what: ["exec", "create", "a/b"],
    allowed: true,
  },
  {
    fact: "a group that is called as a role is not that role",
    csv: "g, role:few, role:admin",
    who: "eve",
    groups: ["role:few", "role:admin", "proj:team:dev"],
    project: team("p, proj:team:dev, applications, get, team/*, allow"),
    what: ["applications", "get", "team/b"],
    allowed: false,
  },
  {
    fact: "a group that is called admin is not the account",
    who: "eve",
    groups: ["admin"],
    what: ["applications", "get", "a/b"],
    allowed: false,
  },
  {
    fact: "a group that is called admin has the roles that the operator gives it, and no others",
    csv: "g, admin, role:readonly",
    who: "eve",
    groups: ["admin"],
    what: ["applications", "sync", "a/b"],
    allowed: false,
  },
  {
    fact: "a user of an identity provider who is called admin is not the account",
    who: "admin",
    isForeign: true,
    what: ["applications", "get", "a/b"],
    allowed: false,
  },
  {
    fact: "a user of an identity provider who is called as a role of a project is not that role",
    who: "proj:team:dev",
    isForeign: true,
    project: team("p, proj:team:dev, applications, get, team/*, allow"),
    what: ["applications", "get", "team/b"],
    allowed: false,
  },
  {
    fact: "a token of a project has the rights of its role",
    who: "proj:team:dev",
    project: team("p, proj:team:dev, applications, get, team/*, allow"),
    what: ["applications", "get", "team/b"],
    allowed: true,
  },
  {
    fact: "a token of a project has no right on objects of another, whatever the operator's policy says",
    csv: "p, proj:team:dev, applications, get, */*, allow",
    who: "proj:team:dev",
    project: project("rival", [
      { name: "dev", policies: ["p, proj:team:dev, applications, get, */*, allow"] },
    ]),
    what: ["applications", "get", "rival/b"],
    allowed: false,
  },
  {
    fact: "settings are an administrator's",
    who: "admin",
    what: ["settings", "update", "argocd-cm"],
    allowed: true,
  },
  {
    fact: "settings are nobody's who only reads",
    csv: "g, eve, role:readonly",
    who: "eve",
    what: ["settings", "update", "argocd-cm"],
    allowed: false,
  },
  {
    fact: "settings are an account's to which a policy gives them, by the name of the ConfigMap",
    csv: "p, eve, settings, update, argocd-notifications-cm, allow",
    who: "eve",
    what: ["settings", "update", "argocd-notifications-cm"],
    allowed: true,
  },
  {
    fact: "a token of a project has no right on settings, whatever the operator's policy says",
    csv: "p, proj:team:dev, settings, update, *, allow\ng, proj:team:dev, role:admin",
    who: "proj:team:dev",
    what: ["settings", "update", "argocd-cm"],
    allowed: false,
  },
  {
    fact: "the default role is a project token's too",
    options: { defaultRole: "role:readonly" },
    who: "proj:team:dev",
    project: project("rival", []),
    what: ["applications", "get", "rival/b"],
    allowed: true,
  },
  {
    fact: "a role of a project gives nothing to others by its lines",
    who: "eve",
    project: team("p, eve, applications, get, team/*, allow"),
    what: ["applications", "get", "team/b"],
    allowed: false,
  },
  {
    fact: "a role of a project makes nobody an administrator of it",
    who: "eve",
    project: team(
      "g, eve, role:admin",
      "p, proj:team:dev, applications, get, team/x, allow\ng, eve, role:admin",
    ),
    what: ["applications", "get", "team/b"],
    allowed: false,
  },
  {
    fact: "a group with line ends brings no line into the policy",
    who: "eve",
    project: project("team", [{ name: "dev", groups: ["x\np, eve, applications, get, team/b, allow\ng"] }]),
    what: ["applications", "get", "team/b"],
    allowed: false,
  },
  {
    fact: "a group with a comma is written in quotes",
    who: "eve",
    groups: ["a,b"],
    project: project("team", [{ name: "dev", groups: ['"a,b"'] }]),
    what: ["projects", "get", "team"],
    allowed: true,
  },
  {
    fact: "a role of a project with a line that may have denied something has no rights",
    who: "eve",
    groups: ["devs"],
    project: team(
      "p, proj:team:dev, applications, *, team/*, allow",
      "p, proj:team:dev, applications, delete, deny",
    ),
    what: ["applications", "get", "team/b"],
    allowed: false,
  },
];

for (const {
  fact,
  csv = "",
  options,
  who,
  groups = [],
  isForeign = false,
  what,
  project,
  allowed,
} of facts) {
  test(fact, () => {
    const { matchMode = "glob" } = options ?? {};
    const policy = parsePolicy([{ name: "policy.csv", text: csv }], matchMode);
    const enforcer = createEnforcer({ policy, ...options });
    const [resource, action, object] = what;
    const own = project && { name: project.metadata.name, policy: readProjectPolicy(project, matchMode) };
    const request = { ...{ subject: who, groups, isForeign, project: own }, ...{ resource, action, object } };
    assert.equal(enforcer.allows(request), allowed);
  });
}

test("expressions over which others try everything end", () => {
  const text = ["(a+)+$", "(a|aa)+$", `${"(.*a){20}"}$`].map(
    (one) => `p, eve, applications, get, ^${one}, allow`,
  );
  const policy = parsePolicy([{ name: "policy.csv", text: text.join("\n") }], "regex");
  const enforcer = createEnforcer({ policy, matchMode: "regex" });
  const object = `${"a".repeat(2_000)}b`;
  assert.equal(
    enforcer.allowsName({ subject: "eve", resource: "applications", action: "get", object }),
    false,
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
      const enforcer = createEnforcer({ policy: { rules, grants, problems: [] } });
      const has = (role: string, seen: string[] = []): boolean =>
        role === "u" ||
        grants.some(
          (one) => one.role === role && !seen.includes(one.member) && has(one.member, [...seen, role]),
        );
      const hits = rules.filter(
        ({ subject, action }) => has(subject) && (action === "*" || action === "get"),
      );
      const expected = hits.some(({ isAllow }) => isAllow) && hits.every(({ isAllow }) => isAllow);
      const question = { subject: "u", resource: "applications", action: "get", object: "a/b" };
      assert.equal(enforcer.allowsName(question), expected);
    }),
    { numRuns: 500 },
  );
});
