import type { Policy, PolicyRule } from "./policy.ts";

const managed: { readonly [resource: string]: readonly string[] } = {
  applications: [
    "create",
    "update",
    "update/*",
    "delete",
    "delete/*",
    "sync",
    "override",
    "rollback",
    "action/*",
  ],
  applicationsets: ["get", "create", "update", "delete"],
  certificates: ["create", "update", "delete"],
  clusters: ["create", "update", "delete"],
  repositories: ["create", "update", "delete"],
  "write-repositories": ["create", "update", "delete"],
  projects: ["create", "update", "delete"],
  accounts: ["update"],
  gpgkeys: ["create", "delete"],
  exec: ["create"],
  settings: ["update"],
};

const readable = [
  "applications",
  "applicationsets",
  "certificates",
  "clusters",
  "repositories",
  "write-repositories",
  "projects",
  "accounts",
  "gpgkeys",
  "logs",
];

const ofProjects: ReadonlySet<string> = new Set(["applications", "applicationsets", "logs", "exec"]);

const allow = (subject: string, resource: string, action: string): PolicyRule => ({
  subject,
  resource,
  action,
  object: ofProjects.has(resource) ? "*/*" : "*",
  isAllow: true,
});

/** role:readonly, role:admin, and the user admin in it (assets/builtin-policy.csv by its rules, not its text), and what is ours. */
export const builtinPolicy: Policy = {
  rules: [
    ...readable.map((resource) => allow("role:readonly", resource, "get")),
    ...Object.entries(managed).flatMap(([resource, actions]) =>
      actions.map((action) => allow("role:admin", resource, action)),
    ),
  ],
  grants: [
    { member: "role:admin", role: "role:readonly" },
    { member: "admin", role: "role:admin" },
  ],
  problems: [],
};
