import { integerOf, type Labels, meetsRequirement, type Requirement } from "./label-selector.ts";
import { SelectorError } from "./selector-error.ts";

interface Token {
  kind: "word" | "symbol" | "end";
  text: string;
}

const symbols = ["!=", "==", "=", "!", "(", ")", ",", ">", "<"];

/**
 * Whether labels satisfy a selector that is text (apimachinery pkg/labels/selector.go): `a=b,c!=d,e in (f,g),!h,i>1`.
 * Throws SelectorError in that one's words.
 */
export function parseLabelSelector(text: string): (labels: Labels) => boolean {
  const tokens = tokenize(text);
  if (tokens[0]?.kind === "end") return () => true;
  const reader = new Reader(tokens);
  const requirements: Requirement[] = [];
  const first = reader.peek();
  if (first.kind === "symbol" && first.text !== "!")
    throw unexpected(first, "!, identifier, or 'end of string'");
  for (;;) {
    requirements.push(readRequirement(reader));
    const next = reader.take();
    if (next.kind === "end") break;
    if (next.text !== ",") throw unexpected(next, "',' or 'end of string'");
    if (reader.peek().kind === "end") throw unexpected(reader.peek(), "identifier after ','");
  }
  return (labels) =>
    requirements.every((one) =>
      meetsRequirement(one, Object.hasOwn(labels, one.key) ? labels[one.key] : undefined),
    );
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    if (/\s/.test(text[at] ?? "")) {
      at += 1;
      continue;
    }
    const symbol = symbols.find((candidate) => text.startsWith(candidate, at));
    const word = symbol ?? /^[^\s!=(),<>]+/.exec(text.slice(at))?.[0] ?? "";
    tokens.push({ kind: symbol === undefined ? "word" : "symbol", text: word });
    at += word.length;
  }
  tokens.push({ kind: "end", text: "" });
  return tokens;
}

class Reader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  peek(): Token {
    return this.#tokens[this.#at] ?? { kind: "end", text: "" };
  }

  take(): Token {
    const token = this.peek();
    this.#at += 1;
    return token;
  }
}

function readRequirement(reader: Reader): Requirement {
  if (reader.peek().text === "!") {
    reader.take();
    return { key: readKey(reader), operator: "DoesNotExist", values: [] };
  }
  const key = readKey(reader);
  const { kind, text } = reader.peek();
  if (kind === "end" || text === ",") return { key, operator: "Exists", values: [] };
  const operator = reader.take();
  switch (operator.text) {
    case "=":
    case "==":
      return { key, operator: "In", values: [readValue(reader, key)] };
    case "!=":
      return { key, operator: "NotIn", values: [readValue(reader, key)] };
    case "in":
      return { key, operator: "In", values: readValues(reader, key) };
    case "notin":
      return { key, operator: "NotIn", values: readValues(reader, key) };
    case ">":
    case "<":
      return { key, operator: operator.text === ">" ? "Gt" : "Lt", values: [readInteger(reader, key)] };
    default:
      throw unparsable(operator, "in, notin, =, ==, !=, gt, lt");
  }
}

const qualifiedName = /^(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?$/;
const labelValue = /^(?:[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?)?$/;

/** Kubernetes' validation IsQualifiedName, as selectors take it. */
export function isLabelKey(text: string): boolean {
  return text.length <= 317 && qualifiedName.test(text);
}

function readKey(reader: Reader): string {
  const token = reader.take();
  if (token.kind !== "word") throw unparsable(token, "identifier");
  if (!qualifiedName.test(token.text))
    throw new SelectorError(
      `unable to parse requirement: <nil>: Invalid value: "${token.text}": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    );
  return token.text;
}

function readValue(reader: Reader, key: string): string {
  const { kind, text } = reader.peek();
  if (kind === "end" || text === ",") return "";
  const token = reader.take();
  if (token.kind !== "word") throw unparsable(token, "identifier");
  return checkedValue(token.text, key);
}

function readValues(reader: Reader, key: string): string[] {
  const open = reader.take();
  if (open.text !== "(")
    throw new SelectorError(`unable to parse requirement: found '${open.text}' expected: '('`);
  const values: string[] = [];
  for (;;) {
    const { kind, text } = reader.peek();
    if (kind === "word") values.push(checkedValue(reader.take().text, key));
    else if (text === "," || text === ")") values.push("");
    const next = reader.take();
    if (next.text === ")") return values;
    if (next.text !== ",") throw unparsable(next, "',' or ')'");
  }
}

function checkedValue(value: string, key: string): string {
  if (labelValue.test(value)) return value;
  throw new SelectorError(
    `unable to parse requirement: values[0][${key}]: Invalid value: "${value}": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
  );
}

function readInteger(reader: Reader, key: string): string {
  const value = readValue(reader, key);
  if (integerOf(value) !== undefined) return value;
  throw new SelectorError(
    `unable to parse requirement: values[0]: Invalid value: "${value}": for 'Gt', 'Lt' operators, the value must be an integer`,
  );
}

function unparsable(found: Token, expected: string): Error {
  return new SelectorError(`unable to parse requirement: found '${found.text}', expected: ${expected}`);
}

function unexpected(found: Token, expected: string): Error {
  return new SelectorError(`found '${found.text}', expected: ${expected}`);
}
