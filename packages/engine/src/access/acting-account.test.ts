import assert from "node:assert/strict";
import { test } from "node:test";
import { type AppProject, argoApiVersion } from "@capstan/model";
import { type ActingAs, actingAccount } from "./acting-account.ts";

type Accounts = NonNullable<AppProject["spec"]["destinationServiceAccounts"]>;

const server = "https://cluster-api.example.com";
const on = { enabled: true, enforced: true };

interface Case {
  accounts?: Accounts;
  namespace?: string;
  own?: string;
  impersonation?: typeof on;
}

function chosen({ accounts = [], namespace = "team", own, impersonation = on }: Case): ActingAs {
  return actingAccount({
    app: {
      metadata: { name: "web", ...(own === undefined ? {} : { namespace: own }) },
      spec: { project: "team", destination: { server, ...(namespace === "" ? {} : { namespace }) } },
    },
    project: {
      apiVersion: argoApiVersion,
      kind: "AppProject",
      metadata: { name: "team" },
      spec: { destinationServiceAccounts: accounts },
    },
    server,
    controlNamespace: "argocd",
    impersonation,
  });
}

/** As text: capstan, the user, or the refusal. */
function shown(one: Case): string {
  const actsAs = chosen(one);
  if (actsAs.kind === "account") return actsAs.user;
  if (actsAs.kind === "capstan") return "capstan";
  return "problem" in actsAs.failure ? (actsAs.failure.problem ?? "") : actsAs.failure.code;
}

const account = (defaultServiceAccount: string, namespace = "*", at = "*") => ({
  server: at,
  namespace,
  defaultServiceAccount,
});

/** The cases of Argo CD's util/settings DeriveServiceAccountToImpersonate, and names chosen for what they look like. */
const facts: readonly (readonly [fact: string, given: Case, expected: string | RegExp])[] = [
  ["off", { accounts: [account("sa")], impersonation: { ...on, enabled: false } }, "capstan"],
  ["the exact place", { accounts: [account("sa", "team", server)] }, "system:serviceaccount:team:sa"],
  ["globs", { accounts: [account("sa", "t?am", "https://*.example.com")] }, "system:serviceaccount:team:sa"],
  ["a namespace of its own", { accounts: [account("ops:deployer")] }, "system:serviceaccount:ops:deployer"],
  [
    "the first one counts",
    { accounts: [account("other", "x"), account("first", "team"), account("second")] },
    "system:serviceaccount:team:first",
  ],
  [
    "no destination namespace",
    { accounts: [account("sa", "")], namespace: "" },
    "system:serviceaccount:argocd:sa",
  ],
  [
    "no destination namespace, an application elsewhere",
    { accounts: [account("sa")], namespace: "", own: "apps" },
    "system:serviceaccount:apps:sa",
  ],
  [
    "an entry without a namespace is for the empty one",
    { accounts: [{ server: "*", defaultServiceAccount: "sa" }] },
    /^no matching/,
  ],
  [
    "none matches",
    { accounts: [account("sa", "other")] },
    `no matching service account found for destination server ${server} and namespace team: name one in spec.destinationServiceAccounts`,
  ],
  ["none is there", {}, /^no matching service account found/],
  ["none is there, and none need be", { impersonation: { ...on, enforced: false } }, "capstan"],
  [
    "one that cannot be read is no reason for Capstan's own rights",
    { accounts: [account("a*b")], impersonation: { ...on, enforced: false } },
    /default service account contains invalid chars 'a\*b'/,
  ],
  [
    "an invalid glob of servers",
    { accounts: [account("sa", "*", "[")] },
    /invalid glob pattern for destination server/,
  ],
  [
    "an invalid glob of namespaces",
    { accounts: [account("sa", "[")] },
    /invalid glob pattern for destination namespace/,
  ],
  ["dots in a name", { accounts: [account("a.b-c")] }, "system:serviceaccount:team:a.b-c"],
  ...[
    "",
    "  ",
    "bad*sa",
    "../x",
    "a:b:c",
    "system:masters:",
    ":sa",
    "ops:",
    "a b",
    "sa\r\nImpersonate-Group: system:masters",
    "ops/x:sa",
    "-a",
  ].map((name): [string, Case, RegExp] => [
    `"${name}" is no account`,
    { accounts: [account(name)] },
    /default service account contains invalid chars/,
  ]),
  [
    "system:masters is a service account of that name, and no group",
    { accounts: [account("system:masters")] },
    "system:serviceaccount:system:masters",
  ],
  [
    "a namespace that would name another's account",
    { accounts: [account("sa")], namespace: "kube-system:admin" },
    /invalid chars/,
  ],
];

for (const [fact, given, expected] of facts)
  test(`who acts for an application: ${fact}`, () => {
    const text = shown(given);
    if (typeof expected === "string") assert.equal(text, expected);
    else assert.match(text, expected);
  });
