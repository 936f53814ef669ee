import { badRequest } from "../objects/failures.ts";

export type LabelSelector = (labels: Readonly<Record<string, string>>) => boolean;

type Requirement = LabelSelector;

interface Token {
  kind: "word" | "symbol" | "end";
  text: string;
}

const symbols = ["!=", "==", "=", "!", "(", ")", ",", ">", "<"];

/** The grammar of apimachinery pkg/labels/selector.go: equality, sets, existence and comparison. */
export function parseLabelSelector(text: string): LabelSelector {
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
  return (labels) => requirements.every((requirement) => requirement(labels));
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
    const key = readKey(reader);
    return (labels) => labels[key] === undefined;
  }
  const key = readKey(reader);
  const { kind, text } = reader.peek();
  if (kind === "end" || text === ",") return (labels) => labels[key] !== undefined;
  const operator = reader.take();
  switch (operator.text) {
    case "=":
    case "==": {
      const value = readValue(reader, key);
      return (labels) => labels[key] === value;
    }
    case "!=": {
      const value = readValue(reader, key);
      return (labels) => labels[key] !== value;
    }
    case "in": {
      const values = readValues(reader, key);
      return (labels) => labels[key] !== undefined && values.has(labels[key]);
    }
    case "notin": {
      const values = readValues(reader, key);
      return (labels) => labels[key] === undefined || !values.has(labels[key]);
    }
    case ">":
    case "<":
      return comparison(key, operator.text, readValue(reader, key));
    default:
      throw unparsable(operator, "in, notin, =, ==, !=, gt, lt");
  }
}

const qualifiedName = /^(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?$/;
const labelValue = /^(?:[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?)?$/;

function readKey(reader: Reader): string {
  const token = reader.take();
  if (token.kind !== "word") throw unparsable(token, "identifier");
  if (!qualifiedName.test(token.text))
    throw badRequest(
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

function readValues(reader: Reader, key: string): Set<string> {
  const open = reader.take();
  if (open.text !== "(") throw badRequest(`unable to parse requirement: found '${open.text}' expected: '('`);
  const values = new Set<string>();
  for (;;) {
    const { kind, text } = reader.peek();
    if (kind === "word") values.add(checkedValue(reader.take().text, key));
    else if (text === "," || text === ")") values.add("");
    const next = reader.take();
    if (next.text === ")") return values;
    if (next.text !== ",") throw unparsable(next, "',' or ')'");
  }
}

function checkedValue(value: string, key: string): string {
  if (labelValue.test(value)) return value;
  throw badRequest(
    `unable to parse requirement: values[0][${key}]: Invalid value: "${value}": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
  );
}

function comparison(key: string, operator: string, value: string): Requirement {
  const bound = Number.parseInt(value, 10);
  if (Number.isNaN(bound))
    throw badRequest(
      `unable to parse requirement: values[0]: Invalid value: "${value}": for 'Gt', 'Lt' operators, the value must be an integer`,
    );
  return (labels) => {
    const actual = Number.parseInt(labels[key] ?? "", 10);
    return operator === ">" ? actual > bound : actual < bound;
  };
}

function unparsable(found: Token, expected: string): Error {
  return badRequest(`unable to parse requirement: found '${found.text}', expected: ${expected}`);
}

function unexpected(found: Token, expected: string): Error {
  return badRequest(`found '${found.text}', expected: ${expected}`);
}
