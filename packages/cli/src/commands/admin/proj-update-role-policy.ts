import { equalJson, matchesPath } from "@capstan/formats";
import { dumpYaml } from "@capstan/formats/yaml";
import { type AppProject, argoApiVersion, isAppProject } from "@capstan/model";
import { defineCommand, ExitError, type FlagValues } from "../../command.ts";
import { painter } from "../../output/paint.ts";
import { unifiedDiff } from "../../output/unified-diff.ts";
import { clusterFlags, listed, openCluster } from "./open-cluster.ts";

const policyFlags = {
  ...clusterFlags,
  resource: { kind: "string", help: "Kind of what is permitted, such as applications", value: "KIND" },
  scope: { kind: "string", help: "Which of the project's, such as *", value: "GLOB" },
  role: { kind: "string", help: "Roles whose names match", value: "GLOB", byDefault: "*" },
  permission: { kind: "string", help: "allow or deny", value: "WORD" },
  "dry-run": { kind: "boolean", help: "Show what would change, and change nothing", byDefault: "true" },
} as const;

type Values = FlagValues<typeof policyFlags>;

export default defineCommand({
  usage: "PROJECT_GLOB MODIFICATION ACTION",
  help: "Set or remove what roles of projects say of an action. MODIFICATION: set or remove. Changes nothing without --dry-run=false.",
  examples: [
    "capstan admin proj update-role-policy '*' set 'action/*' --role '*deployer*' --resource applications --scope '*' --permission allow",
    "capstan admin proj update-role-policy '*' remove override --role '*deployer*' --dry-run=false",
  ],
  argument: "none",
  arity: [3, 3],
  flags: policyFlags,
  async run({ args: [glob = "", modification = "", action = ""], flags, io }) {
    checkModification(modification, flags);
    await using cluster = await openCluster(flags, io);
    const query = { apiVersion: argoApiVersion, kind: "AppProject", namespace: cluster.namespace };
    const objects = await listed(cluster.client, query, io.signal);
    for (const project of objects.filter(isAppProject)) {
      if (!matches(glob, project.metadata.name)) continue;
      const next = changed(project, { modification, action, flags });
      if (next === project) continue;
      const names = ["live", "updated"] as const;
      const diff = unifiedDiff(dumpYaml(project), dumpYaml(next), { names, paint: painter(io) });
      io.out(`===== ${project.metadata.name} ======\n${diff}`);
      if (!(flags["dry-run"] ?? true)) await cluster.client.replace(next, { signal: io.signal });
    }
    return 0;
  },
});

function checkModification(modification: string, { scope, permission }: Values): void {
  if (modification !== "set" && modification !== "remove")
    throw new ExitError(`modification ${modification} is not supported: it is set or remove`, 20);
  if (modification === "remove") return;
  if (!scope) throw new ExitError("--scope must say of which objects the policy is set", 20);
  if (!permission) throw new ExitError("--permission must say allow or deny", 20);
}

const matches = (glob: string, name: string): boolean => glob === "*" || matchesPath(glob, name);

interface Change {
  readonly modification: string;
  readonly action: string;
  readonly flags: Values;
}

type Role = NonNullable<AppProject["spec"]["roles"]>[number];

function changed(project: AppProject, change: Change): AppProject {
  const { name } = project.metadata;
  const roles = (project.spec.roles ?? []).map((role): Role => {
    if (!matches(change.flags.role ?? "*", role.name)) return role;
    const { policies: old = [], ...rest } = role;
    const policies = changedPolicies(old, { ...change, project: name, role: role.name });
    return { ...rest, ...(policies.length > 0 ? { policies } : {}) };
  });
  const isSame = equalJson(
    roles.map(({ policies = [] }) => policies),
    (project.spec.roles ?? []).map(({ policies = [] }) => policies),
  );
  return isSame ? project : { ...project, spec: { ...project.spec, roles } };
}

interface PolicyChange extends Change {
  readonly project: string;
  readonly role: string;
}

/** The first line about the action is changed or removed; where there is none, one is added. */
function changedPolicies(policies: readonly string[], change: PolicyChange): string[] {
  const { modification, action, project, role, flags } = change;
  const at = policies.findIndex((policy) => {
    const parts = policy.split(",").map((part) => part.trim());
    return parts.length === 6 && parts[3] === action;
  });
  if (modification === "remove") return at < 0 ? [...policies] : policies.toSpliced(at, 1);
  const { resource = "", scope, permission } = flags;
  const policy = `p, proj:${project}:${role}, ${resource}, ${action}, ${project}/${scope}, ${permission}`;
  return at < 0 ? [...policies, policy] : policies.with(at, policy);
}
