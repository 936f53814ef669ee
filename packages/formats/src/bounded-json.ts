import { maxDepth } from "./expansion.ts";
import { parseJson } from "./json.ts";
import { surveyJson } from "./survey-json.ts";

/** Three megabytes of them are read in some fifty milliseconds. */
const mostValues = 250_000;

export interface JsonBudget {
  valuesLeft: number;
}

export function jsonBudget(): JsonBudget {
  return { valuesLeft: mostValues };
}

/**
 * JSON that somebody else has sent, exactly as parseJson reads it, and bounded before any of it is made into values:
 * by how deep it is nested, which whoever goes over it pays for with his stack, and by how many values it has, which
 * may be a hundred times as large as their text. Texts that come together share a budget. Throws SyntaxError.
 */
export function parseBoundedJson(text: string, budget: JsonBudget = jsonBudget()): unknown {
  const { depth, values } = surveyJson(text, maxDepth);
  if (depth > maxDepth) throw new SyntaxError(`it is nested more than ${maxDepth} levels deep`);
  budget.valuesLeft -= values;
  if (budget.valuesLeft < 0) throw new SyntaxError(`it has more than ${mostValues} values`);
  return parseJson(text);
}

/** Whether brackets stand deeper in each other than any reader of ours goes. */
export function isTooDeep(json: string): boolean {
  return surveyJson(json, maxDepth).depth > maxDepth;
}
