import { hasRules } from "../../cel/custom-rules.ts";
import { cel } from "../../cel/loaded.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { Schema } from "../../types.ts";

interface Place {
  field: string;
  isRoot: boolean;
  uncorrelated: string | undefined;
}

/** What is wrong with the rules of a structural schema. */
export function crdRuleProblems(report: Report, schema: Schema, field: string): void {
  if (hasRules(schema)) visit(report, schema, { field, isRoot: true, uncorrelated: undefined });
}

function visit(report: Report, schema: Schema, { field, isRoot, uncorrelated }: Place): void {
  cel().ruleProblems(report, { schema, field, isRoot, uncorrelated });
  const { properties = {}, additionalProperties, items } = schema;
  for (const [name, child] of Object.entries(properties))
    visit(report, child, { field: `${field}.properties[${name}]`, isRoot: false, uncorrelated });
  if (typeof additionalProperties === "object")
    visit(report, additionalProperties, {
      field: `${field}.additionalProperties`,
      isRoot: false,
      uncorrelated,
    });
  const isKept = schema["x-kubernetes-list-type"] === "map";
  if (items !== undefined)
    visit(report, items, {
      field: `${field}.items`,
      isRoot: false,
      uncorrelated: uncorrelated ?? (isKept ? undefined : field),
    });
}
