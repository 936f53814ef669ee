import { createEnforcer, type Enforcer, type Policy, parsePolicy } from "@capstan/engine";
import type { LiveState, Settings } from "@capstan/kube";
import type { AppProject } from "@capstan/model";
import { findProject } from "./find-project.ts";
import type { Rights } from "./rights.ts";

interface Needs {
  settings: { readonly current: Settings };
  live: Pick<LiveState, "get">;
  controlNamespace: string;
  log: { warn(facts: object, message: string): void };
}

/** Kinds of objects about which a project's own policies have a say. */
const projectScoped: ReadonlySet<string> = new Set([
  "applications",
  "applicationsets",
  "logs",
  "exec",
  "clusters",
  "repositories",
  "projects",
]);

/** Rights by argocd-rbac-cm and the roles of projects, made anew when one of them changes. */
export function createRights(needs: Needs): Rights {
  const enforcers = new WeakMap<Settings["rbac"], Enforcer>();
  let lastGood: Policy | undefined;
  const policies = new WeakMap<AppProject, Policy>();
  const enforcerOf = (rbac: Settings["rbac"]): Enforcer => {
    const known = enforcers.get(rbac);
    if (known) return known;
    const { policyCsv, defaultRole, matchMode } = rbac;
    const read = parsePolicy(policyCsv);
    const isSafe = !read.problems.some(({ mayDeny }) => mayDeny);
    if (isSafe) lastGood = read;
    const instead = lastGood
      ? "; it may deny something: the policy of before stays in force until it is mended"
      : "; it may deny something: until it is mended only the account admin and policy.default have rights";
    for (const { message, mayDeny } of read.problems)
      needs.log.warn(
        { where: "ConfigMap argocd-rbac-cm" },
        mayDeny
          ? `a policy line cannot be read${instead}: ${message}`
          : `a policy line is left out: ${message}`,
      );
    const policies = isSafe ? [read] : lastGood ? [lastGood] : [];
    const made = createEnforcer({ policies, defaultRole, matchMode });
    enforcers.set(rbac, made);
    return made;
  };
  const policyOf = (project: AppProject): Policy => {
    const known = policies.get(project);
    if (known) return known;
    const made = projectPolicy(project, needs.log);
    policies.set(project, made);
    return made;
  };
  return {
    allows(user, { resource, action, object }) {
      const project = projectScoped.has(resource)
        ? findProject(needs, object.split("/")[0] ?? "")
        : undefined;
      return enforcerOf(needs.settings.current.rbac).allows({
        subject: user.name,
        groups: user.groups,
        resource,
        action,
        object,
        ...(project ? { projectPolicy: policyOf(project) } : {}),
      });
    },
  };
}

/** Each role may see its project, and its groups have it (v1alpha1 AppProject.ProjectPoliciesString). */
function projectPolicy({ metadata, spec }: AppProject, log: Needs["log"]): Policy {
  const lines: string[] = [];
  for (const { name, policies = [], groups = [] } of spec.roles ?? []) {
    const role = `proj:${metadata.name}:${name}`;
    lines.push(`p, ${role}, projects, get, ${metadata.name}, allow`, ...policies);
    // What cannot be read and may deny something denies the role everything of its project.
    const { problems } = parsePolicy(policies.join("\n"));
    for (const { message, mayDeny } of problems) {
      const what = mayDeny ? "; it may deny something: the role has no rights until it is mended" : "";
      log.warn(
        { where: `AppProject ${metadata.name}` },
        `a policy line of role ${name} is left out${what}: ${message}`,
      );
      for (const resource of mayDeny ? projectScoped : [])
        lines.push(`p, ${role}, ${resource}, *, ${metadata.name}/*, deny`);
    }
    for (const group of groups) lines.push(`g, "${group.replaceAll('"', '""')}", ${role}`);
  }
  return parsePolicy(lines.join("\n"));
}
