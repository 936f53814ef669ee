import { parseJson } from "@capstan/formats";
import { CapstanError, messageOf, parseYamlDocuments } from "@capstan/model";
import { goJson } from "./go-json.ts";

/**
 * The documents of a command's output as JSON texts, null ones left out (gitops-engine SplitYAMLToString over
 * apimachinery's YAMLOrJSONDecoder): a stream of JSON objects keeps its text, YAML is rewritten. A List stays one
 * document; callers expand it.
 */
export function splitOutput(text: string, file: string): string[] {
  const looksLikeJson = /^\s*\{/.test(text.slice(0, 4096));
  const { values, rest, offset } = looksLikeJson
    ? readJsonStream(text)
    : { values: [], rest: text, offset: 0 };
  // More than one object before the first fault: it is JSON, and YAML would only hide the fault.
  if (values.length > 1 && rest !== "") throw jsonFault(text, { offset, count: values.length, file });
  const documents = rest === "" ? [] : parseYamlDocuments(rest, { file }).map(({ value }) => goJson(value));
  return [...values.filter((value) => value !== "null"), ...documents];
}

interface JsonStream {
  values: string[];
  /** What is not a JSON value any more. */
  rest: string;
  offset: number;
}

function readJsonStream(text: string): JsonStream {
  const values: string[] = [];
  let at = 0;
  for (;;) {
    while (/\s/.test(text[at] ?? "")) at++;
    if (at >= text.length) return { values, rest: "", offset: at };
    const end = jsonEnd(text, at);
    const value = end === undefined ? undefined : text.slice(at, end);
    if (value === undefined || end === undefined || !isJson(value))
      return { values, rest: text.slice(at), offset: at };
    values.push(value);
    at = end;
  }
}

/** Where the value that begins at an offset would end by its brackets. */
function jsonEnd(text: string, start: number): number | undefined {
  if (text[start] !== "{" && text[start] !== "[") return wordEnd(text, start);
  const token = /[{}[\]]|"(?:[^"\\]|\\.)*"/gs;
  token.lastIndex = start;
  let depth = 0;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const char = found[0];
    if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") depth--;
    if (depth === 0) return token.lastIndex;
  }
  return undefined;
}

function wordEnd(text: string, start: number): number {
  const word = /[^\s,{}[\]]+/y;
  word.lastIndex = start;
  word.exec(text);
  return word.lastIndex === 0 ? start : word.lastIndex;
}

function isJson(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function jsonFault(text: string, { offset, count, file }: { offset: number; count: number; file: string }) {
  const line = text.slice(0, offset).split("\n").length;
  try {
    parseJson(text.slice(offset));
  } catch (error) {
    return new CapstanError(
      { code: "YAML_INVALID", file, document: count + 1, line, problem: `invalid JSON: ${messageOf(error)}` },
      error,
    );
  }
  return new CapstanError({ code: "YAML_INVALID", file, document: count + 1, line, problem: "invalid JSON" });
}
