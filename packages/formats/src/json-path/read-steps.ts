import type { Operator, Step } from "./syntax.ts";

const token =
  /^(?:(?<space>[\s@$]+)|(?<filter>\[\?\()|(?<deep>\.\.)|\[(?<inside>[^\]]*)\]|(?<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\.(?<name>(?:[^\s.,[\]$@{}\\]|\\.)*)|(?<number>[+-]?\d[\d.]*)|(?<word>[\p{L}_](?:[^\s.,[\]$@{}\\]|\\.)*))/su;
const slice = /^(-?\d*)(?::(-?\d*))?(?::(-?\d*))?$/;
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

/** The steps of one expression, without its braces. */
export function readSteps(expression: string): readonly Step[] {
  const steps: Step[] = [];
  let rest = expression;
  while (rest !== "") {
    const match = token.exec(rest);
    if (!match) throw new Error(`jsonPath cannot read {${expression}} from ${rest} on`);
    const [taken] = match;
    const groups = match.groups ?? {};
    rest = rest.slice(taken.length);
    if (groups.filter !== undefined) {
      const inside = filterText(rest, expression);
      steps.push(readFilter(inside));
      rest = rest.slice(inside.length + ")]".length);
    } else if (groups.deep !== undefined) {
      steps.push({ kind: "deep" });
      // "..name" is "..", ".name".
      if (/^[\p{L}\d_*]/u.test(rest)) rest = `.${rest}`;
    } else steps.push(...stepsOf(groups, expression));
  }
  return steps;
}

function stepsOf(
  { space, inside, quoted, name, number, word }: Readonly<Record<string, string | undefined>>,
  expression: string,
): readonly Step[] {
  if (space !== undefined) return [];
  if (inside !== undefined) return [readBrackets(inside, expression)].flat();
  if (quoted !== undefined) return [{ kind: "value", value: unquote(quoted) }];
  if (name !== undefined) return name === "" ? [] : [fieldOf(name)];
  if (number !== undefined && Number.isFinite(Number(number)))
    return [{ kind: "value", value: Number(number) }];
  if (word === "true" || word === "false") return [{ kind: "value", value: word === "true" }];
  throw new Error(`jsonPath cannot read {${expression}}: what is ${number ?? word}?`);
}

function fieldOf(name: string): Step {
  return name === "*" ? { kind: "children" } : { kind: "field", name: name.replaceAll("\\", "") };
}

function readBrackets(inside: string, expression: string): readonly Step[] {
  const alternatives = inside.split(",");
  if (alternatives.length > 1)
    return [{ kind: "union", lists: alternatives.map((one) => readBrackets(one.trim(), expression)) }];
  if (inside === "*") return [{ kind: "slice", from: undefined, to: undefined, step: undefined }];
  const key = /^'([^']*)'$/.exec(inside) ?? /^"([^"]*)"$/.exec(inside);
  // As in Kubernetes, a key in brackets is a path too; a dot that belongs to a name is escaped.
  if (key) return readSteps(`.${key[1]}`);
  const [, from, to, step] = slice.exec(inside) ?? [];
  if (from === undefined || (from === "" && to === undefined))
    throw new Error(`jsonPath cannot read {${expression}}: [${inside}] is no index`);
  if (to === undefined) return [{ kind: "item", at: Number(from) }];
  return [{ kind: "slice", from: numberOf(from), to: numberOf(to), step: numberOf(step) }];
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined || text === "" ? undefined : Number(text);
}

/** Up to the `)]` that closes it. */
function filterText(rest: string, expression: string): string {
  const inside = /^(?:[^)"']|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')*/s.exec(rest)?.[0] ?? "";
  if (!rest.startsWith(")]", inside.length))
    throw new Error(`jsonPath cannot read {${expression}}: a filter is not closed by )]`);
  return inside;
}

function readFilter(inside: string): Step {
  const [, left = "", operator = "", right = ""] = /^([^!<>=]+)([!<>=]+)(.+)$/s.exec(inside) ?? [];
  if (operator === "") return { kind: "filter", left: readSteps(inside), operator: undefined, right: [] };
  if (!isOperator(operator)) throw new Error(`jsonPath: ${operator} of ${inside} is no comparison`);
  return { kind: "filter", left: readSteps(left), operator, right: readSteps(right) };
}

function isOperator(text: string): text is Operator {
  return ["<", ">", "==", "!=", "<=", ">="].includes(text);
}

function unquote(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replace(/\\(u[\da-fA-F]{4}|x[\da-fA-F]{2}|.)/gs, (_, code: string) =>
      code.length > 1 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : (escapes[code] ?? code),
    );
}
