import { isRecord, stringifyJson } from "@capstan/model";

type Step =
  | { kind: "child"; name: string }
  | { kind: "index"; from: number | undefined; to: number | undefined; single: boolean }
  | { kind: "all" }
  | { kind: "deep" };

const maxResults = 10_000;

/** Kubernetes' JSONPath templates (k8s.io/client-go/util/jsonpath) without filters and range; a missing key throws. */
export function jsonPath(template: string, data: unknown): string {
  let printed = "";
  const parts = template.split(/(\{[^{}]*\})/);
  for (const part of parts) {
    if (!part.startsWith("{")) printed += part;
    else printed += evaluate(part.slice(1, -1).trim(), data);
  }
  return printed;
}

function evaluate(expression: string, data: unknown): string {
  const quoted = /^(["'])(.*)\1$/.exec(expression);
  if (quoted) return quoted[2] ?? "";
  let found: unknown[] = [data];
  let isDeep = false;
  for (const step of readSteps(expression)) {
    // Below "..", only some have what is asked for.
    const having = isDeep ? found.filter((one) => has(one, step)) : found;
    found = having.flatMap((one) => take(one, step, expression));
    isDeep = step.kind === "deep";
    if (found.length > maxResults) throw new Error(`{${expression}} finds more than ${maxResults} values`);
  }
  return found.map(print).join(" ");
}

const token =
  /^(?:(?<deep>\.\.)|(?<all>\.\*|\[\*\])|\.(?<name>(?:[^.[\]\\]|\\.)+)|\[(?:'(?<single>[^']*)'|"(?<double>[^"]*)")\]|\[(?<at>-?\d+)\]|\[(?<from>-?\d*):(?<to>-?\d*)\])/;

function readSteps(expression: string): Step[] {
  const steps: Step[] = [];
  let rest = expression.replace(/^[$@]/, "");
  if (rest !== "" && !/^[.[]/.test(rest)) rest = `.${rest}`;
  while (rest !== "" && rest !== ".") {
    const match = token.exec(rest);
    if (!match) throw new Error(`jsonPath cannot read {${expression}} from "${rest}" on`);
    rest = rest.slice(match[0].length);
    steps.push(stepOf(match.groups ?? {}));
    if (steps.at(-1)?.kind === "deep" && rest !== "" && !rest.startsWith("[")) rest = `.${rest}`;
  }
  return steps;
}

function stepOf({ deep, all, name, single, double, at, from, to }: Record<string, string | undefined>): Step {
  if (deep) return { kind: "deep" };
  if (all) return { kind: "all" };
  const number = (text: string | undefined) => (text === undefined || text === "" ? undefined : Number(text));
  if (at !== undefined) return { kind: "index", from: Number(at), to: undefined, single: true };
  if (from !== undefined) return { kind: "index", from: number(from), to: number(to), single: false };
  return { kind: "child", name: single ?? double ?? (name ?? "").replace(/\\(.)/g, "$1") };
}

function take(value: unknown, step: Step, expression: string): unknown[] {
  if (step.kind === "deep")
    return [value, ...childrenOf(value).flatMap((one) => take(one, step, expression))];
  if (step.kind === "all") return childrenOf(value);
  if (step.kind === "index") {
    if (!Array.isArray(value)) throw new Error(`{${expression}}: there is no list`);
    if (!step.single) return value.slice(step.from, step.to);
    const found = value.at(step.from ?? 0);
    if (found === undefined) throw new Error(`{${expression}}: the list has ${value.length} items`);
    return [found];
  }
  if (isRecord(value) && Object.hasOwn(value, step.name)) return [value[step.name]];
  throw new Error(`{${expression}}: ${step.name} is not found`);
}

function has(value: unknown, step: Step): boolean {
  if (step.kind === "child") return isRecord(value) && Object.hasOwn(value, step.name);
  if (step.kind !== "index") return true;
  return Array.isArray(value) && (!step.single || value.at(step.from ?? 0) !== undefined);
}

function childrenOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? Object.values(value) : [];
}

function print(value: unknown): string {
  return typeof value === "string" ? value : (stringifyJson(value) ?? "");
}
