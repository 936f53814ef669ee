import { join, relative } from "node:path";
import type { ResultItem } from "./function.ts";
import { itemObject } from "./function-results.ts";
import { listIn, objectIn, printKptfile } from "./kptfile.ts";
import type { KptfileObject } from "./read-kptfile.ts";
import { TraceError } from "./trace-error.ts";

/** What one function of a pipeline did. */
export interface Step {
  name: string;
  image: string;
  exec: string;
  /** Why it could not run at all. */
  executionError: string;
  stderr: string;
  exitCode: number;
  results: readonly ResultItem[];
}

interface Outcome {
  mutationSteps: readonly Step[];
  validationSteps: readonly Step[];
  error: Error | undefined;
  /** The root package's directory as errors name it; the Kptfile does not. */
  shownRoot: string;
  /** Where the one who renders stands: packages below are named from there (api/kptfile/v1 RelativePath). */
  workingFolder: string | undefined;
}

/** The Kptfile with the condition Rendered and what each function did (kptops updateRenderStatus). */
export function withRenderStatus(content: KptfileObject, outcome: Outcome): string {
  const status = objectIn(content, "status");
  const { error } = outcome;
  const root = outcome.shownRoot;
  const show = (pkg: string): string => {
    const path = join(root, pkg);
    const near = outcome.workingFolder === undefined ? ".." : relative(outcome.workingFolder, path);
    return near.startsWith("..") ? path : near || ".";
  };
  const message = error ? (error instanceof TraceError ? error.describe(show) : error.message) : "";
  const condition: KptfileObject = {
    type: "Rendered",
    status: error ? "False" : "True",
    reason: error ? "RenderFailed" : "RenderSuccess",
    message: root === "" ? message : message.replaceAll(root, "."),
  };
  const others = listIn(status, "conditions").filter((one) => one.type !== "Rendered");
  const next: KptfileObject = { conditions: [...others, condition] };
  const renderStatus = renderStatusOf(outcome);
  if (renderStatus) next.renderStatus = renderStatus;
  return printKptfile({ ...content, status: next });
}

function renderStatusOf({ mutationSteps, validationSteps, error }: Outcome): KptfileObject | undefined {
  const steps = [...mutationSteps, ...validationSteps];
  if (steps.length === 0) return undefined;
  const problems = steps.flatMap((step) => {
    const name = step.name || step.image || step.exec;
    if (step.executionError !== "") return [`${name}: ${step.executionError}`];
    return step.exitCode === 0 ? [] : [`${name}: exit code ${step.exitCode}`];
  });
  return {
    mutationSteps: mutationSteps.map(stepObject),
    validationSteps: validationSteps.map(stepObject),
    errorSummary: error ? problems.join("\n") : "",
  };
}

function stepObject({ results, ...step }: Step): KptfileObject {
  const errors = results.filter(({ severity }) => severity === "error");
  return { ...step, results: results.map(itemObject), errorResults: errors.map(itemObject) };
}
