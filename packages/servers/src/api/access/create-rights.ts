import { isDeepStrictEqual } from "node:util";
import {
  type AccessProject,
  createEnforcer,
  describeProblem,
  type Enforcer,
  type Policy,
  parsePolicy,
  projectOfQuestion,
  readProjectPolicy,
} from "@capstan/engine";
import type { LiveState, Settings } from "@capstan/kube";
import type { AppProject } from "@capstan/model";
import { findProject } from "./find-project.ts";
import { ownIssuer } from "./own-issuer.ts";
import type { Right, Rights } from "./rights.ts";

interface Needs {
  settings: { readonly current: Settings };
  live: Pick<LiveState, "get">;
  controlNamespace: string;
  log: { warn(facts: object, message: string): void };
}

type Rbac = Settings["rbac"];

/** Rights by argocd-rbac-cm and the roles of projects, made anew when one of them changes. */
export function createRights(needs: Needs): Rights {
  const enforcerOf = enforcerKeeper(needs.log);
  let policies = new WeakMap<AppProject, Policy>();
  let policiesMode: Rbac["matchMode"] | undefined;
  const projectOf = (right: Right, { matchMode }: Rbac): AccessProject | undefined => {
    const name = projectOfQuestion(right);
    const project = name === undefined ? undefined : findProject(needs, name);
    if (project === undefined) return undefined;
    if (policiesMode !== matchMode) policies = new WeakMap();
    policiesMode = matchMode;
    const policy = policies.get(project) ?? readProjectPolicy(project, matchMode);
    if (!policies.has(project)) sayProblems(policy, needs.log);
    policies.set(project, policy);
    return { name: project.metadata.name, policy };
  };
  return {
    allows(user, right) {
      const { rbac } = needs.settings.current;
      return enforcerOf(rbac).allows({
        ...right,
        subject: user.name,
        groups: user.groups,
        isForeign: user.issuer !== ownIssuer,
        project: projectOf(right, rbac),
      });
    },
  };
}

function enforcerKeeper(log: Needs["log"]): (rbac: Rbac) => Enforcer {
  let kept: { rbac: Rbac; enforcer: Enforcer } | undefined;
  let lastGood: { policy: Policy; matchMode: Rbac["matchMode"] } | undefined;
  return (rbac) => {
    if (kept?.rbac === rbac) return kept.enforcer;
    // Settings are read as a whole, and most changes are of another ConfigMap.
    if (kept && isDeepStrictEqual(kept.rbac, rbac)) {
      kept.rbac = rbac;
      return kept.enforcer;
    }
    const { policies, defaultRole, matchMode } = rbac;
    const read = parsePolicy(policies, matchMode);
    const isSafe = !read.problems.some(({ mayDeny }) => mayDeny);
    sayPolicyProblems(read, { log, hasGood: lastGood !== undefined });
    if (isSafe) lastGood = { policy: read, matchMode };
    const inForce = lastGood ?? { policy: { rules: [], grants: [], problems: [] }, matchMode };
    kept = { rbac, enforcer: createEnforcer({ ...inForce, defaultRole }) };
    return kept.enforcer;
  };
}

const where = "ConfigMap argocd-rbac-cm";

function sayPolicyProblems(
  { problems }: Policy,
  { log, hasGood }: { log: Needs["log"]; hasGood: boolean },
): void {
  const instead = hasGood
    ? "the policy of before stays in force until it is mended"
    : "until it is mended only the account admin and policy.default have rights";
  for (const problem of problems) {
    const told = describeProblem(problem);
    if (problem.mayDeny)
      log.warn({ where }, `a policy line cannot be read; it may deny something: ${instead}: ${told}`);
    else if (problem.isUnreadable) log.warn({ where }, `a policy line is left out: ${told}`);
    else log.warn({ where }, `a policy line is not what it seems: ${told}`);
  }
}

/** Of one project: whoever writes it writes no log of any length. */
const maxSaid = 20;

/** First what may deny something. */
function sayProblems({ problems }: Policy, log: Needs["log"]): void {
  const sorted = problems.toSorted((left, right) => Number(right.mayDeny) - Number(left.mayDeny));
  for (const { source, line, message, mayDeny } of sorted.slice(0, maxSaid)) {
    const what = mayDeny ? "; it may deny something: the role has no rights until it is mended" : "";
    log.warn({ where: source }, `policy line ${line} is not in force as it stands${what}: ${message}`);
  }
  const [first] = sorted.slice(maxSaid);
  if (first)
    log.warn(
      { where: first.source },
      `${sorted.length - maxSaid} more policy lines of the project are not in force as they stand`,
    );
}
