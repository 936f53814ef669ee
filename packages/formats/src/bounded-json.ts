import { maxDepth } from "./expansion.ts";
import { parseJson } from "./json.ts";
import { surveyJson } from "./survey-json.ts";

/** Three megabytes of them are read in some fifty milliseconds. */
const mostValues = 250_000;

/**
 * JSON that somebody else has sent, exactly as parseJson reads it, and bounded before any of it is made into values:
 * by how deep it is nested, which whoever goes over it pays for with his stack, and by how many values it has, which
 * may be a hundred times as large as their text. Throws SyntaxError.
 */
export function parseBoundedJson(text: string, maxValues = mostValues): unknown {
  const { depth, values } = surveyJson(text, maxDepth);
  if (depth > maxDepth) throw new SyntaxError(`it is nested more than ${maxDepth} levels deep`);
  if (values > maxValues) throw new SyntaxError(`it has more than ${maxValues} values`);
  return parseJson(text);
}

/** Whether brackets stand deeper in each other than any reader of ours goes. */
export function isTooDeep(json: string): boolean {
  return surveyJson(json, maxDepth).depth > maxDepth;
}
