import { accessResources, ownResources } from "@capstan/engine";

/** Of what generated policies and requests are made. */
export type Words = readonly [string, ...string[]];

export const users: Words = [
  "eve",
  "bob",
  "ünï",
  "a,b",
  "my user",
  'q"uote',
  "https://idp/x|1",
  "$x",
  "admin",
];
export const roles: Words = ["role:dev", "role:ops", "role:few", "ops", "role:admin", "role:readonly"];
export const groups: Words = ["devs", "org:team", "Group With Blanks", "cn=a,dc=b", "ops", "g1", "g2"];
export const tokens: Words = [
  "proj:team:dev",
  "proj:team:ops",
  "proj:rival:dev",
  "proj:absent:dev",
  "proj:team:dev:more",
];
export const ownGroups: Words = ["role:dev", "admin", "role:admin", "proj:team:dev", "role:ops"];

/** Mostly of applications. */
export const resources: Words = [
  ...(["applications", "applications"] as const),
  ...accessResources.filter((name) => !ownResources.has(name)),
];
export const actions: Words = [
  ...(["get", "get", "create", "update", "delete", "sync", "override", "invoke", "rollback"] as const),
  ...[
    "action/apps/Deployment/restart",
    "action//Pod/x",
    "update//ConfigMap/ns/a",
    "delete/apps/Deployment/ns/b",
  ],
];
export const objects: Words = [
  ...(["team/web", "team/web", "team/ns/web", "team/api", "rival/web", "rival/ns/api", "absent/x"] as const),
  ...[
    "team",
    "rival",
    "",
    "*",
    "*/*",
    "team/*",
    "https://kube",
    "team/https://kube",
    "eve",
    "x.y",
    "team/",
    "/",
  ],
  ...["tééam/wéb", "TEAM/WEB", "team/web/", "te\nam", "[team]/{web}", "team/a-b_c.d"],
];

export const globs = {
  resource: [
    "*",
    "app*",
    "{clusters,projects}",
    "[a-l]*",
    "application?",
    "appl*s",
    "**",
    "[!a]*",
    "{app*,logs}",
  ],
  action: [
    "*",
    "s*",
    "{get,sync}",
    "action/*",
    "update/*",
    "delete/*/Deployment/*",
    "?et",
    "[gs]*",
    "*e",
    "action/**",
  ],
  object: [
    ...[
      "*",
      "*/*",
      "team/*",
      "team/*",
      "team/*/web",
      "t?am/*",
      "[rt]*/web*",
      "{team,rival}/*",
      "*/web",
      "**/web",
    ],
    ...[
      "team/[a-w]eb",
      "team/w[!a]b",
      "te\\am/web",
      "team/{web,api}",
      "https://*",
      "*kube",
      "team/w*b",
      "*/*/*",
      "?*",
    ],
    ...[
      "{team/*,rival/web}",
      "team/{*}",
      "{*eb,x}",
      "t*m/w*",
      "[!r]*",
      "*{web,api}*",
      "\\*/\\*",
      "team/??b",
      "{,team/web}",
    ],
  ],
};
export const expressions = {
  resource: [".*", "^app", "clusters|projects", "^[a-l]", "s$", "", "application(s|sets)$"],
  action: [".*", "^(get|sync)$", "action/.*", "^s", "e", "(?i)GET", "^update(/|$)"],
  object: [
    ...[
      ".*",
      "team/.*",
      "^team/web$",
      "team",
      "(team|rival)/w.*",
      "^team/[a-z]+$",
      "",
      "(?i)^TEAM/",
      "\\bweb\\b",
    ],
    ...["^t.am/(?:ns/)?web$", "[^/]+/web", "^$", "\\.", "^[^/]*$", "team/[[:alpha:]]+", "\\pL/"],
  ],
};
/** Of which globs are made that hardly anybody writes. */
export const globParts: Words = [
  ...(["*", "*", "**", "?", "team", "team/", "/", "web", "t", "eb", "[a-w]", "[!r]"] as const),
  ...["{team,rival}", "{web,*}", "{,team/}", "{t*,/}", "\\*", "é"],
];
export const badGlobs: Words = ["team/[", "[b-a]", "[]", "team/[a-cx]*", "[!]"];
export const badExpressions: Words = ["*", "*/*", "team/(", "(?!team).*", "[z-a]", "a**", "\\1"];
