import type { Argument, Name, Parameter, Position } from "../syntax/nodes.ts";

interface Wrong {
  at: Position;
  problem: string;
}

const maxArguments = 255;

/** What is wrong with the order of a call's arguments. */
export function checkArguments(list: readonly Argument[], start: Position): Wrong | undefined {
  const seen = new Set<Argument["kind"]>();
  const names = new Set<string>();
  for (const argument of list) {
    const { kind, at } = argument;
    const problem = misplaced(kind, seen);
    if (problem !== undefined) return { at, problem };
    if (argument.kind === "named") {
      const { name } = argument.name;
      if (names.has(name)) return { at, problem: `keyword argument "${name}" is repeated` };
      names.add(name);
    }
    seen.add(kind);
  }
  const positional = list.filter(({ kind }) => kind === "positional").length;
  if (positional > maxArguments)
    return { at: start, problem: `${positional} positional arguments in call, limit is ${maxArguments}` };
  if (names.size > maxArguments)
    return { at: start, problem: `${names.size} keyword arguments in call, limit is ${maxArguments}` };
  return undefined;
}

function misplaced(kind: Argument["kind"], seen: ReadonlySet<Argument["kind"]>): string | undefined {
  switch (kind) {
    case "**":
      return seen.has("**") ? "multiple **kwargs not allowed" : undefined;
    case "*":
      if (seen.has("**")) return "*args may not follow **kwargs";
      return seen.has("*") ? "multiple *args not allowed" : undefined;
    case "named":
      if (seen.has("**")) return "keyword argument may not follow **kwargs";
      return seen.has("*") ? "keyword argument may not follow *args" : undefined;
    case "positional":
      if (seen.has("*")) return "positional argument may not follow *args";
      if (seen.has("**")) return "positional argument may not follow **kwargs";
      return seen.has("named") ? "positional argument may not follow named" : undefined;
  }
}

/** What is wrong with a function's parameters. */
export function checkParameters(parameters: readonly Parameter[]): Wrong | undefined {
  let star: Parameter | undefined;
  let starStar: string | undefined;
  let hasOptional = false;
  let keywordOnly = 0;
  const names = new Set<string>();
  for (const parameter of parameters) {
    const { at } = parameter;
    const problem = wrongParameter();
    if (problem !== undefined) return { at, problem };
    if (parameter.name) names.add(parameter.name.name);
    if (parameter.kind === "plain") {
      hasOptional ||= parameter.fallback !== undefined;
      keywordOnly += star ? 1 : 0;
    } else if (parameter.kind === "*") star = parameter;
    else starStar = parameter.name.name;

    function wrongParameter(): string | undefined {
      if (starStar !== undefined) {
        if (parameter.kind === "**") return "multiple ** parameters not allowed";
        if (parameter.kind === "*") return `* parameter may not follow **${starStar}`;
        return `${parameter.fallback ? "optional" : "required"} parameter may not follow **${starStar}`;
      }
      if (parameter.kind === "*" && star) return "multiple * parameters not allowed";
      if (parameter.kind === "plain" && !parameter.fallback && !star && hasOptional)
        return "required parameter may not follow optional";
      const { name } = parameter;
      return name && names.has(name.name) ? `duplicate parameter: ${name.name}` : undefined;
    }
  }
  const isBare = star && star.name === undefined && keywordOnly === 0;
  return isBare && star
    ? { at: star.at, problem: "bare * must be followed by keyword-only parameters" }
    : undefined;
}

/** Names of parameters in the order of a frame's slots: *args and **kwargs come last. */
export function slotOrder(parameters: readonly Parameter[]): Name[] {
  const names = (kind: Parameter["kind"]): Name[] =>
    parameters.flatMap((parameter) => (parameter.kind === kind && parameter.name ? [parameter.name] : []));
  return [...names("plain"), ...names("*"), ...names("**")];
}
