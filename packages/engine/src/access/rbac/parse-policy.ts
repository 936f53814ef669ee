import { isValidGlob } from "@capstan/formats";
import { goRegexp } from "@capstan/formats/re2";
import {
  accessResources,
  type MatchMode,
  type Policy,
  type PolicyProblem,
  type PolicyRule,
  type PolicySource,
  type RoleGrant,
} from "./policy.ts";
import { endsWithBlank, readCsvLine, trimBlanks } from "./read-csv-line.ts";

/**
 * policy.csv and its like as argocd-rbac-cm holds them (util/rbac loadPolicyLine). A line that cannot be read is told
 * and left out, so that one mistake does not lock everyone out; whether it may have denied something is told too.
 * What a line that denies leaves open is denied: a pattern that is none matches everything there, and nothing in a
 * line that allows.
 */
export function parsePolicy(sources: readonly PolicySource[], matchMode: MatchMode = "glob"): Policy {
  const reader = new PolicyReader(matchMode);
  for (const { name, text } of sources) {
    let line = 0;
    for (const written of text.split("\n")) reader.read(name, ++line, written);
  }
  return reader.policy();
}

interface Said {
  readonly problem: string;
  readonly isUnreadable: boolean;
}

const unreadable = (problem: string): Said => ({ problem, isUnreadable: true });
const noted = (problem: string): Said => ({ problem, isUnreadable: false });

class PolicyReader {
  readonly #matchMode: MatchMode;
  readonly #patterns = new Map<string, { readonly problem: string | undefined }>();
  readonly #rules: PolicyRule[] = [];
  readonly #grants: RoleGrant[] = [];
  readonly #problems: (PolicyProblem & { readonly isGrant: boolean })[] = [];

  constructor(matchMode: MatchMode) {
    this.#matchMode = matchMode;
  }

  read(source: string, line: number, written: string): void {
    const text = trimBlanks(written);
    if (text === "" || text.startsWith("#")) return;
    const { fields, problem } = readCsvLine(text);
    const said = problem === undefined ? this.#add(fields) : unreadable(problem);
    if (said === undefined) return;
    const { isUnreadable } = said;
    const mayDeny = isUnreadable && /deny/i.test(text);
    const isGrant = /^g\b/.test(text);
    this.#problems.push({
      source,
      line,
      message: `${said.problem}: ${text}`,
      isUnreadable,
      mayDeny,
      isGrant,
    });
  }

  policy(): Policy {
    const [rules, grants] = [this.#rules, this.#grants];
    const hasDenials = rules.some(({ isAllow }) => !isAllow);
    const problems = this.#problems.map(({ isGrant, source, line, message, isUnreadable, mayDeny }) => ({
      ...{ source, line, message, isUnreadable },
      // A membership that is missing may be one of a role to which something is denied.
      mayDeny: mayDeny || (isUnreadable && isGrant && hasDenials),
    }));
    return { rules, grants, problems };
  }

  #add([type = "", ...fields]: readonly string[]): Said | undefined {
    if (type === "p") return this.#addRule(fields);
    if (type === "g") return this.#addGrant(fields);
    // Names of sections of casbin's model, which Argo CD takes and never looks at.
    if (type === "r" || type === "e" || type === "m")
      return noted(`a line begins with p or g; with ${type} it says nothing`);
    return unreadable(`a line begins with p or g, not with "${type}"`);
  }

  #addGrant([member, role, ...more]: readonly string[]): Said | undefined {
    if (member === undefined || role === undefined || more.length > 0)
      return unreadable("a g line needs two fields behind the g");
    this.#grants.push({ member, role });
    return blankNote([member, role]);
  }

  #addRule([subject, resource, action, object, effect, ...more]: readonly string[]): Said | undefined {
    if (subject === undefined || resource === undefined || action === undefined || object === undefined)
      return unreadable("a p line needs subject, resource, action, object and effect");
    if (effect === undefined || more.length > 0) return unreadable("a p line needs five fields behind the p");
    if (effect !== "allow" && effect !== "deny" && /^al*ow/i.test(effect))
      return noted(`effect is "${effect}", not allow or deny; the line gives nothing`);
    const isAllow = effect === "allow";
    const invalid = [resource, action, object].find((pattern) => this.#problemOf(pattern) !== undefined);
    const pattern = (text: string) => (this.#problemOf(text) === undefined ? text : this.#everything);
    if (invalid === undefined || !isAllow)
      this.#rules.push({
        ...{ subject, isAllow },
        ...{ resource: pattern(resource), action: pattern(action), object: pattern(object) },
      });
    if (invalid !== undefined)
      return noted(
        `${this.#problemOf(invalid)}, so it matches ${isAllow ? "nothing" : "everything, since the line denies"}`,
      );
    if (!isAllow && effect !== "deny") return noted(`effect is "${effect}", which is taken as deny`);
    return blankNote([subject, resource, action, object]) ?? this.#resourceNote(resource);
  }

  get #everything(): string {
    return this.#matchMode === "regex" ? "" : "*";
  }

  #problemOf(pattern: string): string | undefined {
    const known = this.#patterns.get(pattern);
    if (known !== undefined) return known.problem;
    const problem = this.#readPattern(pattern);
    this.#patterns.set(pattern, { problem });
    return problem;
  }

  #readPattern(pattern: string): string | undefined {
    if (!/[\\.+*?()|[\]{}^$]/.test(pattern)) return undefined;
    if (this.#matchMode === "glob") return isValidGlob(pattern) ? undefined : `"${pattern}" is no pattern`;
    try {
      goRegexp(pattern);
      return undefined;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return `"${pattern}" is no regular expression (${error.message})`;
    }
  }

  #resourceNote(resource: string): Said | undefined {
    if (!/^[a-z-]+$/.test(resource) || accessResources.includes(resource)) return undefined;
    if (this.#matchMode === "regex" && accessResources.some((name) => name.includes(resource)))
      return undefined;
    return noted(`no resource is called ${resource}: they are ${accessResources.join(", ")}`);
  }
}

function blankNote(fields: readonly string[]): Said | undefined {
  const field = fields.find(endsWithBlank);
  return field === undefined ? undefined : noted(`the blank behind "${field.trim()}" belongs to it`);
}
