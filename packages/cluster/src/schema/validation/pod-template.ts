import type { KubeObject } from "../../types.ts";
import { numberAt, objectAt, textAt, valueAt } from "../json.ts";
import { validateLabels } from "./metadata.ts";
import { notNegative, qualifiedName } from "./names.ts";
import { validatePodSpec } from "./pod-spec.ts";
import type { Report } from "./report.ts";

/** The template of a Pod; `restart` lists the policies that the workload allows. */
export function validateTemplate(
  report: Report,
  template: unknown,
  options: { field: string; restart: readonly string[]; claimTemplates?: ReadonlySet<string> },
): void {
  const { field, restart, claimTemplates } = options;
  const spec = objectAt(template, "spec");
  validateTemplateMetadata(report, template, field);
  const place = { field: `${field}.spec`, template: true, ...(claimTemplates ? { claimTemplates } : {}) };
  validatePodSpec(report, spec, place);
  const policy = textAt(spec, "restartPolicy");
  if (!policy || restart.includes(policy)) return;
  report.unsupported(`${field}.spec.restartPolicy`, policy, restart);
}

/** Of the metadata of a template only labels and annotations are looked at. */
export function validateTemplateMetadata(report: Report, template: unknown, field: string): void {
  validateLabels(report, valueAt(template, "metadata", "labels"), `${field}.labels`);
  const annotations = objectAt(template, "metadata", "annotations") ?? {};
  for (const key of Object.keys(annotations).sort())
    report.syntax(`${field}.annotations`, key, qualifiedName(key.toLowerCase()));
}

export function validateNotNegative(report: Report, object: unknown, fields: readonly string[]): void {
  for (const field of fields) {
    const amount = numberAt(object, ...field.split("."));
    if (amount !== undefined && amount < 0) report.invalid(field, amount, notNegative);
  }
}

export function refuseDeadline(report: Report, object: KubeObject, kind: string): void {
  if (numberAt(object, "spec", "template", "spec", "activeDeadlineSeconds") !== undefined)
    report.forbidden(
      "spec.template.spec.activeDeadlineSeconds",
      `activeDeadlineSeconds in ${kind} is not Supported`,
    );
}
