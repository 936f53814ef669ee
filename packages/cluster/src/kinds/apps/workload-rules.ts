import { selectsLabels } from "@capstan/formats";
import { goSelector } from "../../schema/go-value.ts";
import { type JsonObject, objectAt, sameJson, sortedKeys, valueAt } from "../../schema/json.ts";
import type { Report } from "../../schema/validation/report.ts";
import { isEmptySelector, validateSelector } from "../../schema/validation/selector.ts";
import type { KubeObject } from "../../types.ts";

export function rollingUnlessNamed(fields: JsonObject): void {
  if ((fields.type ?? "RollingUpdate") === "RollingUpdate") fields.rollingUpdate ??= {};
}

interface SelectorRule {
  kind: string;
  /** Whether its absence is an error of its own. */
  required: boolean;
}

export function validateTemplateSelector(
  report: Report,
  object: KubeObject,
  { kind, required }: SelectorRule,
): void {
  const spec = objectAt(object, "spec");
  const selector = objectAt(spec, "selector");
  if (!selector && required) report.required("spec.selector");
  const printed = () => goSelector(selector);
  const isValid = validateSelector(report, selector, "spec.selector");
  const isEmpty = selector !== undefined && isEmptySelector(selector);
  const refuseEmpty = (): void =>
    report.invalid(
      "spec.selector",
      printed(),
      `empty selector is invalid for ${kind === "replicaset" ? "deployment" : kind}`,
    );
  if (isEmpty && kind !== "daemonset") refuseEmpty();
  if (!isValid && kind !== "daemonset")
    report.invalid("spec.selector", printed(), kind === "statefulset" ? "" : "invalid label selector");
  // An empty selector selects everything, none selects nothing.
  const labels = objectAt(spec, "template", "metadata", "labels");
  if (isValid && !isEmpty && !selectsLabels(selector, labels ?? {}))
    report.invalid(
      "spec.template.metadata.labels",
      labels === undefined ? null : sortedKeys(labels),
      "`selector` does not match template `labels`",
    );
  if (isEmpty && kind === "daemonset") refuseEmpty();
}

export function validateSame(
  report: Report,
  input: { object: KubeObject; previous: KubeObject | undefined; field: string },
): void {
  const path = input.field.split(".");
  const now = valueAt(input.object, ...path);
  if (!input.previous || sameJson(now, valueAt(input.previous, ...path))) return;
  report.invalid(input.field, goSelector(now ?? null), "field is immutable");
}

export function isNone(amount: unknown): boolean {
  return typeof amount === "string" ? !/^0*[1-9]\d*%$/.test(amount) : amount === 0;
}
