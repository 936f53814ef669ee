import { listAt, numberAt, objectAt, sameJson, textAt, valueAt } from "../../schema/json.ts";
import { notNegative } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import { indexesOf, indexProblem } from "./job-indexes.ts";

/** pkg/apis/batch/validation ValidateJobStatusUpdate: most is asked only of what changes. */
export function validateJobStatus(
  report: Report,
  object: KubeObject,
  previous: KubeObject | undefined,
): void {
  const { status } = object;
  for (const name of ["active", "succeeded", "failed", "ready", "terminating"]) {
    const count = numberAt(status, name);
    if (count !== undefined && count < 0) report.invalid(`status.${name}`, count, notNegative);
  }
  validateUncounted(report, status);
  const changed = (...names: readonly string[]): boolean =>
    names.some((name) => !sameJson(valueAt(status, name), valueAt(previous, "status", name)));
  validateOutcome(report, object, { previous, changed });
  validateIndexes(report, object, changed);
  const ready = numberAt(status, "ready");
  if (changed("ready", "active") && ready !== undefined && ready > (numberAt(status, "active") ?? 0))
    report.invalid("status.ready", ready, "cannot set more ready pods than active");
  validateSuccess(report, object);
  if (previous) validateProgress(report, object, previous);
}

type Changed = (...names: readonly string[]) => boolean;

function validateUncounted(report: Report, status: unknown): void {
  const seen = new Set<unknown>();
  for (const list of ["succeeded", "failed"])
    for (const [index, uid] of listAt(status, "uncountedTerminatedPods", list).entries()) {
      const field = `status.uncountedTerminatedPods.${list}[${index}]`;
      if (uid === "") report.invalid(field, uid, "must not be empty");
      else if (seen.has(uid)) report.duplicate(field, uid);
      else seen.add(uid);
    }
}

function isTrue(object: KubeObject | undefined, type: string): boolean {
  return listAt(object, "status", "conditions").some(
    (condition) => textAt(condition, "type") === type && textAt(condition, "status") === "True",
  );
}

const isFinished = (object: KubeObject | undefined): boolean =>
  isTrue(object, "Complete") || isTrue(object, "Failed");

interface Change {
  previous: KubeObject | undefined;
  changed: Changed;
}

function validateOutcome(report: Report, object: KubeObject, { previous, changed }: Change): void {
  const flips = (type: string): boolean => isTrue(object, type) !== isTrue(previous, type);
  const [complete, failed] = [isTrue(object, "Complete"), isTrue(object, "Failed")];
  const conditions = "status.conditions";
  if ((flips("Complete") || flips("Failed")) && complete && failed)
    report.wrong(conditions, "cannot set Complete=True and Failed=true conditions");
  if ((flips("Complete") || flips("FailureTarget")) && complete && isTrue(object, "FailureTarget"))
    report.wrong(conditions, "cannot set Complete=True and FailureTarget=true conditions");
  validateTimes(report, object, { changed, completes: flips("Complete") });
  if ((flips("Failed") || changed("failedIndexes")) && failed && !isTrue(object, "FailureTarget"))
    report.wrong(conditions, "cannot set Failed=True condition without the FailureTarget=true condition");
  if ((flips("Complete") || flips("SuccessCriteriaMet")) && complete && !isTrue(object, "SuccessCriteriaMet"))
    report.wrong(
      conditions,
      "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
    );
  const finishes = isFinished(object) !== isFinished(previous);
  if (!isFinished(object)) return;
  const active = numberAt(object, "status", "active") ?? 0;
  if ((finishes || changed("active")) && active > 0)
    report.invalid("status.active", active, "active>0 is invalid for finished job");
  if ((finishes || changed("startTime")) && !textAt(object, "status", "startTime"))
    report.required("status.startTime", "startTime is required for finished job");
}

function validateTimes(
  report: Report,
  object: KubeObject,
  { changed, completes }: { changed: Changed; completes: boolean },
): void {
  const [start, end] = ["startTime", "completionTime"].map((name) => textAt(object, "status", name));
  const complete = isTrue(object, "Complete");
  const field = "status.completionTime";
  if (completes || changed("completionTime")) {
    if (end && !complete)
      report.invalid(field, end, "cannot set completionTime when there is no Complete=True condition");
    if (!end && complete) report.required(field, "completionTime is required for Complete jobs");
  }
  const isEarly = start && end && Date.parse(end) < Date.parse(start);
  if (isEarly && changed("startTime", "completionTime"))
    report.invalid(field, end, "must be equal to or after `startTime`");
}

function validateIndexes(report: Report, object: KubeObject, changed: Changed): void {
  const spec = objectAt(object, "spec");
  const completions = numberAt(spec, "completions");
  const done = textAt(object, "status", "completedIndexes");
  const failed = valueAt(object, "status", "failedIndexes");
  const limit = spec?.backoffLimitPerIndex;
  const explain = (text: unknown, name: string): void => {
    const problem =
      completions === undefined || typeof text !== "string" ? undefined : indexProblem(text, completions);
    if (problem !== undefined) report.invalid(`status.${name}`, text, `error parsing ${name}: ${problem}`);
  };
  if (changed("completedIndexes")) explain(done, "completedIndexes");
  if (changed("failedIndexes") && limit !== undefined) explain(failed, "failedIndexes");
  if (changed("completedIndexes") && done && spec?.completionMode !== "Indexed")
    report.invalid(
      "status.completedIndexes",
      done,
      "cannot set non-empty completedIndexes when non-indexed completion mode",
    );
  if (typeof failed !== "string") return;
  if (changed("failedIndexes") && limit === undefined)
    report.invalid(
      "status.failedIndexes",
      failed,
      "cannot set non-null failedIndexes when backoffLimitPerIndex is null",
    );
  if (completions !== undefined && changed("failedIndexes", "completedIndexes"))
    validateOverlap(report, { done, failed, completions });
}

function validateOverlap(
  report: Report,
  { done, failed, completions }: { done: string; failed: string; completions: number },
): void {
  const field = "status.failedIndexes";
  if (indexProblem(done, completions) !== undefined || indexProblem(failed, completions) !== undefined)
    return;
  const known = new Set(indexesOf(done));
  const both = [...indexesOf(failed)].find((index) => known.has(index));
  if (both !== undefined)
    report.invalid(field, failed, `failedIndexes and completedIndexes overlap at index: ${both}`);
}

function validateSuccess(report: Report, object: KubeObject): void {
  const field = "status.conditions";
  const met = isTrue(object, "SuccessCriteriaMet");
  if (met && isTrue(object, "Failed"))
    report.wrong(field, "cannot set SuccessCriteriaMet=True and Failed=true conditions");
  if (met && isTrue(object, "FailureTarget"))
    report.wrong(field, "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  if (!met && isTrue(object, "Complete") && objectAt(object, "spec", "successPolicy"))
    report.wrong(field, "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
}

function validateProgress(report: Report, object: KubeObject, previous: KubeObject): void {
  const field = "status.conditions";
  for (const type of ["Failed", "Complete", "FailureTarget"])
    if (isTrue(previous, type) && !isTrue(object, type))
      report.wrong(field, `cannot disable the terminal ${type}=True condition`);
  for (const name of ["failed", "succeeded"]) {
    const [now, before] = [object, previous].map((of) => numberAt(of, "status", name) ?? 0);
    if (now !== undefined && before !== undefined && now < before)
      report.invalid(`status.${name}`, now, `cannot decrease the ${name} counter`);
  }
  const was = (name: string): string => textAt(previous, "status", name);
  const is = (name: string): string => textAt(object, "status", name);
  if (was("completionTime") && is("completionTime") && was("completionTime") !== is("completionTime"))
    report.invalid("status.completionTime", is("completionTime"), "field is immutable");
  const started = was("startTime");
  if (started && started !== is("startTime") && valueAt(object, "spec", "suspend") !== true)
    report.invalid(
      "status.startTime",
      is("startTime") || null,
      "field is immutable for unsuspended job once set",
    );
  if (isTrue(previous, "SuccessCriteriaMet") && !isTrue(object, "SuccessCriteriaMet"))
    report.wrong(field, "cannot disable the SuccessCriteriaMet=True condition");
}
