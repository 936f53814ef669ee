import { builtinPolicy } from "./builtin-policy.ts";
import { type CompiledPolicy, compilePolicy, headOf, type RuleTable } from "./compile-policy.ts";
import { type MatchMode, ownResources, type Policy } from "./policy.ts";
import { rolesOf } from "./roles-of.ts";

export interface EnforcerOptions {
  /** The operator's. The built-in one comes first by itself. */
  readonly policy: Policy;
  /** `policy.default`. */
  readonly defaultRole?: string;
  /** That with which the policies were parsed. */
  readonly matchMode?: MatchMode;
  readonly withoutBuiltin?: boolean;
}

export interface AccessQuestion {
  readonly subject: string;
  readonly resource: string;
  readonly action: string;
  readonly object: string;
}

/** The project that the object belongs to, and the policy of its roles. */
export interface AccessProject {
  readonly name: string;
  readonly policy: Policy;
}

export interface AccessRequest extends AccessQuestion {
  /** Each is judged by itself. They are an identity provider's. */
  readonly groups: readonly string[];
  /** The subject is an identity provider's as well: it is neither an account nor a role of Capstan's. */
  readonly isForeign: boolean;
  readonly project?: AccessProject | undefined;
}

export interface Enforcer {
  /** For whoever calls the API. */
  allows(request: AccessRequest): boolean;
  /** For one name, a role's too, as `admin settings rbac can` asks it. */
  allowsName(question: AccessQuestion): boolean;
}

/** Built-in, operator's, project's. */
interface Layers {
  readonly policies: readonly CompiledPolicy[];
  /** Those but the built-in. */
  readonly written: readonly CompiledPolicy[];
  /** Tables of the names that policies speak of, and of the same as an identity provider's. */
  readonly own: Map<string, readonly RuleTable[]>;
  readonly foreign: Map<string, readonly RuleTable[]>;
}

function layersOfPolicies(builtin: CompiledPolicy, written: readonly CompiledPolicy[]): Layers {
  return { policies: [builtin, ...written], written, own: new Map(), foreign: new Map() };
}

const nothing: CompiledPolicy = { rules: new Map(), roles: new Map() };
const builtin = { glob: compilePolicy(builtinPolicy, "glob"), regex: compilePolicy(builtinPolicy, "regex") };

/**
 * Argo CD's answers: some allow and no deny among the rules of a name and of all roles it has (util/rbac and
 * server/rbacpolicy, with casbin's model assets/model.conf). The default role comes first and its allow is final; then
 * the subject, each of its groups, and at last the empty name, which are judged apart, so that a denial of one takes
 * nothing from another. compat/rbac compares, and its ledger says where this one is narrower.
 */
export function createEnforcer(options: EnforcerOptions): Enforcer {
  const { policy, defaultRole = "", matchMode = "glob", withoutBuiltin = false } = options;
  const inBuiltin = withoutBuiltin ? nothing : builtin[matchMode];
  const operators = compilePolicy(policy, matchMode);
  const base = layersOfPolicies(inBuiltin, [operators]);
  const joined = new WeakMap<Policy, Layers>();
  const layersOf = (project: AccessProject | undefined): Layers => {
    if (project === undefined) return base;
    const known = joined.get(project.policy);
    if (known !== undefined) return known;
    const made = layersOfPolicies(inBuiltin, [operators, compilePolicy(project.policy, matchMode)]);
    joined.set(project.policy, made);
    return made;
  };
  const judgeDefault = (question: AccessQuestion, layers: Layers) =>
    defaultRole !== "" && judge(question, tablesOf(defaultRole, layers, false));
  return {
    allowsName: (question) =>
      judgeDefault(question, base) || judge(question, tablesOf(question.subject, base, false)),
    allows(request) {
      const { subject, groups, isForeign, project } = request;
      if (judgeDefault(request, base)) return true;
      const tokenOf = isForeign ? undefined : projectOfRole(subject);
      // A token of a project never has a say about the installation's settings, whatever a policy gives it.
      const isElsewhere = project ? tokenOf !== project.name : ownResources.has(request.resource);
      if (tokenOf === undefined || !isElsewhere) {
        const layers = layersOf(project);
        if (project !== undefined && judgeDefault(request, layers)) return true;
        if (!(isForeign && isOwnName(subject)) && judge(request, tablesOf(subject, layers, isForeign)))
          return true;
        const isToken = project !== undefined && tokenOf !== undefined;
        if (!isToken && groups.some((group) => judgeGroup(group, request, layers))) return true;
      }
      return judge(request, tablesOf("", base, false));
    },
  };
}

/** A group of which nothing says that it has a role is nothing, though rules may stand under its name. */
function judgeGroup(group: string, request: AccessRequest, layers: Layers): boolean {
  if (isOwnName(group) || !layers.written.some(({ roles }) => roles.has(group))) return false;
  return judge(request, tablesOf(group, layers, true));
}

/** Roles are given by lines of policies, never by what an identity provider calls a user or a group. */
function isOwnName(name: string): boolean {
  return name.startsWith("role:") || name.startsWith("proj:");
}

/** `proj:<project>:<role>` */
function projectOfRole(subject: string): string | undefined {
  const [type, project, ...role] = subject.split(":");
  return type === "proj" && role.length === 1 ? project : undefined;
}

/** Nothing has a longer name. A stranger chooses it, and patterns of some thousand characters are compared with it. */
const longestName = 2048;

function judge({ resource, action, object }: AccessQuestion, tables: readonly RuleTable[]): boolean {
  if (Math.max(resource.length, action.length, object.length) > longestName) return false;
  const head = headOf(object);
  let isAllowed = false;
  for (const { byHead, anywhere } of tables) {
    for (const rules of [anywhere, head === undefined ? undefined : byHead.get(head)]) {
      if (rules === undefined) continue;
      for (const rule of rules) {
        if (rule.isAllow && isAllowed) continue;
        if (!rule.object(object) || !rule.action(action) || !rule.resource(resource)) continue;
        if (!rule.isAllow) return false;
        isAllowed = true;
      }
    }
  }
  return isAllowed;
}

const none: readonly RuleTable[] = [];

/** Of the name itself and of every role that it has. A foreign name is not the account that the built-in line means. */
function tablesOf(name: string, layers: Layers, isForeign: boolean): readonly RuleTable[] {
  const kept = isForeign ? layers.foreign : layers.own;
  const known = kept.get(name);
  if (known !== undefined) return known;
  const { policies, written } = layers;
  const first = isForeign ? written : policies;
  // Strangers' names are without number, and nothing is kept for them.
  if (!first.some(({ roles, rules }) => roles.has(name) || rules.has(name))) return none;
  const found = [...rolesOf(name, { policies, first })].flatMap((one) =>
    (one === name ? first : policies).flatMap(({ rules }) => rules.get(one) ?? []),
  );
  kept.set(name, found);
  return found;
}
