import { listAt, numberAt, objectAt, textAt, valueAt } from "../../schema/json.ts";
import { type Cells, length } from "../../schema/tables/cells.ts";
import { label1035Name } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import { validateSelector } from "../../schema/validation/selector.ts";
import type { KubeObject } from "../../types.ts";
import { validateOperations } from "./match-resources.ts";

export const webhookCells: Cells = { Webhooks: length("webhooks") };

/** pkg/apis/admissionregistration/validation of both kinds of webhooks. */
export function validateWebhooks(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const known = listAt(previous, "webhooks").every(isReviewable);
  const names = new Set<string>();
  for (const [index, webhook] of listAt(object, "webhooks").entries()) {
    const field = `webhooks[${index}]`;
    const name = textAt(webhook, "name");
    if (name.split(".").length < 3)
      report.invalid(
        `${field}.name`,
        name,
        "should be a domain with at least three segments separated by dots",
      );
    for (const [at, rule] of listAt(webhook, "rules").entries())
      validateOperations(report, rule, `${field}.rules[${at}]`);
    for (const [of, allowed] of Object.entries(webhookChoices)) {
      const value = textAt(webhook, of);
      if (value) report.oneOf(`${field}.${of}`, value, allowed);
    }
    const effects = valueAt(webhook, "sideEffects") ?? null;
    if (effects === null) report.required(`${field}.sideEffects`, "must specify one of None, NoneOnDryRun");
    else if (effects !== "None" && effects !== "NoneOnDryRun")
      report.unsupported(`${field}.sideEffects`, effects, ["None", "NoneOnDryRun"]);
    validateTimeout(report, webhook, field);
    for (const selector of ["namespaceSelector", "objectSelector"])
      validateSelector(report, objectAt(webhook, selector), `${field}.${selector}`);
    validateClient(report, webhook, field);
    validateReviewVersions(report, webhook, { field: `${field}.admissionReviewVersions`, known });
    report.unique(`${field}.name`, name, names);
  }
}

const webhookChoices: Readonly<Record<string, readonly string[]>> = {
  failurePolicy: ["Fail", "Ignore"],
  matchPolicy: ["Equivalent", "Exact"],
};

const reviewVersions = ["v1", "v1beta1"];

const isReviewable = (webhook: unknown): boolean =>
  listAt(webhook, "admissionReviewVersions").some((version) => reviewVersions.includes(`${version}`));

interface ReviewPlace {
  field: string;
  /** Whether one of the versions must be known: not where that was not so before. */
  known: boolean;
}

function validateReviewVersions(report: Report, webhook: unknown, { field, known }: ReviewPlace): void {
  const versions = listAt(webhook, "admissionReviewVersions");
  if (versions.length === 0) {
    report.required(field, "must specify one of v1, v1beta1");
    return;
  }
  for (const [index, version] of versions.entries())
    if (versions.indexOf(version) < index) report.invalid(`${field}[${index}]`, version, "duplicate version");
    else report.syntax(`${field}[${index}]`, `${version}`, label1035Name(`${version}`));
  if (known && !isReviewable(webhook))
    report.invalid(field, versions, "must include at least one of v1, v1beta1");
}

function validateTimeout(report: Report, webhook: unknown, field: string): void {
  const seconds = numberAt(webhook, "timeoutSeconds");
  if (seconds !== undefined && (seconds < 1 || seconds > 30))
    report.invalid(`${field}.timeoutSeconds`, seconds, "the timeout value must be between 1 and 30 seconds");
}

function validateClient(report: Report, webhook: unknown, field: string): void {
  const client = objectAt(webhook, "clientConfig");
  const url = textAt(client, "url");
  if (!url === !objectAt(client, "service"))
    report.required(`${field}.clientConfig`, "exactly one of url or service is required");
  const scheme = /^([a-z]+):/.exec(url)?.[1];
  if (url && scheme !== "https")
    report.invalid(
      `${field}.clientConfig.url`,
      scheme ?? "",
      "'https' is the only allowed URL scheme; desired format: https://host[/path]",
    );
}
