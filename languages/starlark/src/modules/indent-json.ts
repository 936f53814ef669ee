import { StarlarkError } from "../script-error.ts";
import { parseJson } from "./parse-json.ts";

function check(text: string): void {
  try {
    parseJson(text);
  } catch (error) {
    if (!(error instanceof StarlarkError)) throw error;
    throw new StarlarkError(error.message.replace(/^at offset \d+, unexpected/, "invalid"));
  }
}

/** JSON over several lines; strings and numbers stay as they are (encoding/json, Indent). */
export function indentJson(text: string, { prefix, indent }: { prefix: string; indent: string }): string {
  check(text);
  let depth = 0;
  let result = "";
  const line = (): string => `\n${prefix}${indent.repeat(depth)}`;
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[^\s"{}[\],:]+|[{}[\],:]/g) ?? [];
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1];
    if (token === "{" || token === "[") {
      depth++;
      result += next === "}" || next === "]" ? token : token + line();
    } else if (token === "}" || token === "]") {
      depth--;
      const before = tokens[index - 1];
      result += before === "{" || before === "[" ? token : line() + token;
    } else if (token === ",") result += `,${line()}`;
    else result += token === ":" ? ": " : token;
  }
  return result;
}
