/** One permission line: p, subject, resource, action, object, effect. */
export interface PolicyRule {
  subject: string;
  resource: string;
  action: string;
  object: string;
  isAllow: boolean;
}

/** One membership line: g, member, role. */
export interface RoleGrant {
  member: string;
  role: string;
}

export interface PolicyProblem {
  /** Counted from 1. */
  line: number;
  message: string;
  /** Without the line somebody could have more rights than was meant. */
  mayDeny: boolean;
}

export interface Policy {
  rules: PolicyRule[];
  grants: RoleGrant[];
  problems: PolicyProblem[];
}

/**
 * policy.csv as argocd-rbac-cm holds it (util/rbac loadPolicyLine). A line that cannot be read is told and left out,
 * so that one mistake does not lock everyone out; whether it may have denied something is told too.
 */
export function parsePolicy(csv: string): Policy {
  const policy: Policy = { rules: [], grants: [], problems: [] };
  for (const [index, text] of csv.split("\n").entries()) {
    const trimmed = text.trim();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    const fields = splitCsv(trimmed);
    const problem = fields === undefined ? "a quote is not closed" : addLine(policy, fields);
    if (problem === undefined) continue;
    const message = `${problem}: ${trimmed}`;
    policy.problems.push({ line: index + 1, message, mayDeny: mayDeny(trimmed, fields) });
  }
  const hasDenials = policy.rules.some(({ isAllow }) => !isAllow);
  // A membership that is missing may be one of a role to which something is denied.
  for (const problem of policy.problems) problem.mayDeny ||= hasDenials && /: g\b/.test(problem.message);
  return policy;
}

/** The word stands in it, or where the effect belongs another than something like allow. */
function mayDeny(line: string, fields: readonly string[] | undefined): boolean {
  const effect = fields?.[0] === "p" ? fields[5] : undefined;
  return /deny/i.test(line) || (effect !== undefined && !/^al*ow/i.test(effect));
}

function addLine(policy: Policy, [type, ...fields]: readonly string[]): string | undefined {
  if (type === "p") {
    const [subject, resource, action, object, effect, ...more] = fields;
    if (subject === undefined || resource === undefined || action === undefined || object === undefined) {
      return "a p line needs subject, resource, action, object and effect";
    }
    if (effect === undefined || more.length > 0) return "a p line needs five fields behind the p";
    if (effect !== "allow" && effect !== "deny") return `effect is "${effect}", not allow or deny`;
    policy.rules.push({ subject, resource, action, object, isAllow: effect === "allow" });
    return undefined;
  }
  if (type === "g") {
    const [member, role, ...more] = fields;
    if (member === undefined || role === undefined || more.length > 0)
      return "a g line needs two fields behind the g";
    policy.grants.push({ member, role });
    return undefined;
  }
  return `a line begins with p or g, not with "${type ?? ""}"`;
}

/** RFC 4180 fields of one line, with blanks before a field dropped. */
function splitCsv(line: string): string[] | undefined {
  const fields: string[] = [];
  let rest = line;
  for (;;) {
    rest = rest.trimStart();
    if (rest.startsWith('"')) {
      const match = /^"((?:[^"]|"")*)"\s*(?:,|$)/.exec(rest);
      if (match === null) return undefined;
      fields.push((match[1] ?? "").replaceAll('""', '"'));
      if (!match[0].endsWith(",")) return fields;
      rest = rest.slice(match[0].length);
    } else {
      const comma = rest.indexOf(",");
      if (comma < 0) return [...fields, rest.trim()];
      fields.push(rest.slice(0, comma).trim());
      rest = rest.slice(comma + 1);
    }
  }
}
