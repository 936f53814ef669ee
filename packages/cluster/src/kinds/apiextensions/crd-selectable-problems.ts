import { type JsonObject, listAt, textAt, valueAt } from "../../schema/json.ts";
import type { Report } from "../../schema/validation/report.ts";

const most = 8;

const simple = ["string", "boolean", "integer"];

/** apiextensions validation ValidateCustomResourceSelectableFields */
export function selectableProblems(report: Report, version: JsonObject, at: string): void {
  const fields = listAt(version, "selectableFields");
  const schema = valueAt(version, "schema", "openAPIV3Schema");
  const seen = new Set<string>();
  for (const [index, field] of fields.entries()) {
    const path = textAt(field, "jsonPath");
    const place = `${at}.selectableFields[${index}].jsonPath`;
    if (path === "") report.required(place);
    else {
      const problem = pathProblem(schema, path);
      if (problem !== "") report.invalid(place, path, problem);
    }
    if (path !== "" && seen.has(path)) report.duplicate(place, path);
    seen.add(path);
  }
  if (fields.length > most) report.tooMany(`${at}.selectableFields`, fields.length, most);
}

function pathProblem(schema: unknown, path: string): string {
  if (!path.startsWith("."))
    return `is an invalid path: expected [ or . but got: ${path.split(".")[0] ?? ""}`;
  if (/\[\d+\]|\[\*\]/.test(path)) return "is an invalid path: array notation is not allowed";
  const steps = path.slice(1).split(".");
  if (steps[0] === "metadata") return "is an invalid path: does not refer to a valid field";
  let here: unknown = schema;
  for (const step of steps) here = valueAt(here, "properties", step);
  if (here === undefined) return "is an invalid path: does not refer to a valid field";
  return simple.includes(textAt(here, "type"))
    ? ""
    : "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
}
