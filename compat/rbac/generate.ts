import type { Dice } from "../dice.ts";
import {
  actions,
  badExpressions,
  badGlobs,
  expressions,
  globParts,
  globs,
  groups,
  objects,
  ownGroups,
  resources,
  roles,
  tokens,
  users,
  type Words,
} from "./words.ts";

/** A policy, projects beside it, and what is asked of both. The names of the fields are those that a peer reads. */
export interface Batch {
  readonly csv: string;
  readonly noBuiltin: boolean;
  readonly defaultRole: string;
  readonly matchMode: "glob" | "regex";
  readonly projects: readonly GeneratedProject[];
  readonly questions: readonly Question[];
  /** Something stands in it that Argo CD reads otherwise than people do, or not at all. */
  readonly isOdd: boolean;
}

export interface GeneratedProject {
  readonly name: string;
  readonly roles: readonly { name: string; policies: string[]; groups: string[] }[];
}

export interface Question {
  readonly subject: string;
  readonly groups: readonly string[];
  /** Asked for a caller with a token; else for the name alone. */
  readonly claims: boolean;
  readonly resource: string;
  readonly action: string;
  readonly object: string;
}

export function generateBatch(random: Dice, questionCount: number): Batch {
  const matchMode = random.chance(0.25) ? "regex" : "glob";
  const isOdd = random.chance(0.15);
  const maker = { random, matchMode, isOdd } as const;
  const more = random.several(0, random.chance(0.1) ? 120 : 18, () => policyLine(maker));
  // Without any p line casbin compares with empty texts: nothing that a server with its built-in policy meets.
  const lines = [line(random, rule(maker, subject(random))), ...more];
  // Most are asked for names that the policy knows.
  const named = lines.flatMap((text) => /^[pg],\s*([^",]+),/.exec(text)?.[1] ?? []);
  const projects = ["team", "rival"].flatMap((name) => (random.chance(0.6) ? [project(maker, name)] : []));
  return {
    csv: lines.join(random.chance(0.1) ? "\r\n" : "\n"),
    noBuiltin: matchMode === "regex" && random.chance(0.8),
    defaultRole: random.chance(0.25)
      ? random.pick(["role:readonly", "role:few", "proj:team:dev", "eve"])
      : "",
    matchMode,
    projects,
    questions: Array.from({ length: questionCount }, () => question(maker, named)),
    isOdd,
  };
}

interface Maker {
  readonly random: Dice;
  readonly matchMode: "glob" | "regex";
  readonly isOdd: boolean;
}

function policyLine(maker: Maker): string {
  const { random, isOdd } = maker;
  if (random.chance(0.05)) return random.pick(["", "# p, eve, *, *, *, allow", "  \t", "#"]);
  if (isOdd && random.chance(0.1)) return oddLine(maker);
  if (random.chance(0.25))
    return line(random, ["g", subject(random), random.pick([random.pick(roles), random.pick(tokens)])]);
  return line(random, rule(maker, subject(random)));
}

function subject(random: Dice): string {
  if (random.chance(0.02)) return "";
  return random.pick([
    random.pick(users),
    random.pick(roles),
    random.pick(roles),
    random.pick(groups),
    random.pick(tokens),
  ]);
}

function rule(maker: Maker, whose: string): string[] {
  const { random } = maker;
  const [resource, action, object] = (["resource", "action", "object"] as const).map((part) =>
    pattern(maker, part),
  );
  return ["p", whose, resource ?? "", action ?? "", object ?? "", random.chance(0.25) ? "deny" : "allow"];
}

const plain = { resource: resources, action: actions, object: objects };

function pattern({ random, matchMode, isOdd }: Maker, part: keyof typeof plain): string {
  if (isOdd && random.chance(0.03)) return random.pick(matchMode === "glob" ? badGlobs : badExpressions);
  if (isOdd && matchMode === "glob" && random.chance(0.1))
    return random.several(1, 5, () => random.pick(globParts)).join("");
  if (random.chance(0.3)) return matchMode === "glob" ? "*" : ".*";
  const patterns = (matchMode === "glob" ? globs : expressions)[part];
  if (random.chance(0.6)) return patterns[random.below(patterns.length)] ?? "";
  const word = random.pick(plain[part]);
  // What is no more than a question's text may be no pattern.
  return /[\\[\]{}*]/.test(word) || word.includes("\n") ? "team/web" : word;
}

/** With blanks and quotes that say nothing. */
function line(random: Dice, fields: readonly string[]): string {
  const separator = random.chance(0.8) ? ", " : random.pick([",", ",\t", ",   "]);
  const written = fields.map((field) =>
    /[",]|^\s|\s$/.test(field) || (field !== "" && random.chance(0.05))
      ? `"${field.replaceAll('"', '""')}"`
      : field,
  );
  const text = written.join(separator);
  return random.chance(0.05) ? ` ${text}  ` : text;
}

function oddLine(maker: Maker): string {
  const { random } = maker;
  const fields = rule(maker, subject(random));
  const effect = (word: string) => line(random, [...fields.slice(0, 5), word]);
  return random.pick([
    effect("Allow"),
    effect("Deny"),
    effect("dney"),
    effect(""),
    line(random, fields).replace(", ", " , "),
    random.pick([line(random, fields.slice(0, 5)), line(random, [...fields, "more"])]),
    random.pick(["r, x", "m", "e, a, b", "g2, a, b", "P, a, b, c, d, allow", ", , ", "p", "g, a, b, c"]),
    random.pick([
      'p, "eve, *, *, *, allow',
      'p, e"ve, *, *, *, allow',
      'p, "eve" , *, *, *, allow',
      'g, "", role:dev',
    ]),
  ]);
}

function project(maker: Maker, name: string): GeneratedProject {
  const { random, isOdd } = maker;
  const made = ["dev", "ops"].map((role) => {
    const own = `proj:${name}:${role}`;
    const policies = random.several(0, 4, () => {
      if (isOdd && random.chance(0.15)) return random.pick([oddLine(maker), policyLine(maker)]);
      const [, , , action, object, effect] = rule(maker, own);
      const about = random.pick(["applications", "applications", "logs", "exec", "clusters", "repositories"]);
      const within = object?.startsWith(`${name}/`)
        ? object
        : `${name}/${maker.matchMode === "glob" ? "*" : ".*"}`;
      return line(random, ["p", own, about, action ?? "", within, effect ?? ""]);
    });
    const chosen =
      isOdd && random.chance(0.2)
        ? [random.pick(ownGroups)]
        : random.several(0, 2, () => random.pick(groups));
    return {
      name: role,
      policies,
      groups: chosen.map((group) => (group.includes(",") ? `"${group}"` : group)),
    };
  });
  return { name, roles: made };
}

function question({ random, isOdd }: Maker, named: readonly string[]): Question {
  const [first, ...others] = named;
  const claims = random.chance(0.7);
  const names: Words = random.chance(0.25) ? tokens : random.chance(0.2) ? roles : users;
  const foreign = () => random.pick(isOdd && random.chance(0.2) ? ownGroups : groups);
  return {
    subject: random.chance(0.02) ? "" : random.pick(first && random.chance(0.5) ? [first, ...others] : names),
    groups: claims ? random.several(0, 3, foreign) : [],
    claims,
    resource: random.pick(resources),
    action: random.pick(actions),
    object: random.pick(objects),
  };
}
