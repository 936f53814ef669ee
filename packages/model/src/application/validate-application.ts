import { parseDuration } from "@capstan/formats";
import type { FieldProblem } from "../failures/failure.ts";
import { readSyncOptions } from "../sync-options/read-sync-options.ts";
import { syncOptionProblem } from "../sync-options/sync-option-problem.ts";
import { fieldError, fieldWarning, hasShape, liveShape, readNoun, validateNoun } from "../validation.ts";
import { type Application, applicationSchema, argoApiVersion } from "./application.ts";
import type {
  ApplicationDestination,
  ApplicationSpec,
  ResourceIgnoreDifferences,
  SyncPolicy,
} from "./spec.ts";
import { validateSource, validateSources } from "./validate-source.ts";

const noun = { schema: applicationSchema, apiVersion: argoApiVersion };

/** Shape and rules between fields; whether the things it names exist is for those who can see them. */
export function validateApplication(value: unknown): FieldProblem[] {
  return validateNoun(value, noun, ({ spec }) => validateApplicationSpec(spec, "spec"));
}

export function isApplication(value: unknown): value is Application {
  return hasShape(applicationSchema, value);
}

/** Of an object of a live state. */
export const isLiveApplication = liveShape(isApplication);

/** The value as an Application; throws INVALID_SPEC with every field that has the wrong shape. */
export function readApplication(value: unknown): Application {
  return readNoun(applicationSchema, value);
}

export function validateApplicationSpec(spec: ApplicationSpec, field: string): FieldProblem[] {
  return [
    ...validateDestination(spec.destination, `${field}.destination`),
    ...sourceRules(spec, field),
    ...(spec.syncPolicy === undefined ? [] : policyRules(spec.syncPolicy, `${field}.syncPolicy`)),
    ...(spec.ignoreDifferences ?? []).flatMap((rule, index) =>
      ignoreRules(rule, `${field}.ignoreDifferences[${index}]`),
    ),
    ...tooManyExpressions(spec.ignoreDifferences ?? [], `${field}.ignoreDifferences`),
    ...((spec.revisionHistoryLimit ?? 0) < 0
      ? [fieldError(`${field}.revisionHistoryLimit`, "must not be negative; 0 keeps no history")]
      : []),
  ];
}

export function validateDestination({ server, name }: ApplicationDestination, field: string): FieldProblem[] {
  const hasServer = server !== undefined && server !== "";
  const hasName = name !== undefined && name !== "";
  if (hasServer && hasName) {
    return [fieldError(field, `has both server (${server}) and name (${name}); keep one of them`)];
  }
  if (hasServer || hasName) return [];
  return [
    fieldError(field, "needs server (https://kubernetes.default.svc is this cluster) or name (in-cluster)"),
  ];
}

function sourceRules(spec: ApplicationSpec, field: string): FieldProblem[] {
  const { source, sources, sourceHydrator } = spec;
  if (sourceHydrator !== undefined) return hydratorRules(sourceHydrator, `${field}.sourceHydrator`);
  if (sources !== undefined && sources.length > 0) {
    const problems = validateSources(sources, `${field}.sources`);
    if (source !== undefined) problems.push(fieldWarning(`${field}.source`, "has no effect beside sources"));
    return problems;
  }
  if (source !== undefined) return validateSource(source, `${field}.source`);
  return [fieldError(`${field}.source`, "is missing: name a repository, or several in sources")];
}

function hydratorRules(
  hydrator: NonNullable<ApplicationSpec["sourceHydrator"]>,
  field: string,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (hydrator.drySource.repoURL === "") problems.push(fieldError(`${field}.drySource.repoURL`, "is empty"));
  if (hydrator.syncSource.targetBranch === "") {
    problems.push(fieldError(`${field}.syncSource.targetBranch`, "is empty; name the branch to write to"));
  }
  return problems;
}

function policyRules(policy: SyncPolicy, field: string): FieldProblem[] {
  const problems = (policy.syncOptions ?? []).flatMap((option, index) => {
    const problem = syncOptionProblem(option, "application");
    return problem === undefined
      ? []
      : [fieldWarning(`${field}.syncOptions[${index}]`, `"${option}" ${problem}`)];
  });
  const { duration, maxDuration } = policy.retry?.backoff ?? {};
  for (const [name, text] of Object.entries({ duration, maxDuration })) {
    if (text !== undefined && text !== "" && parseDuration(text) === undefined) {
      problems.push(
        fieldError(`${field}.retry.backoff.${name}`, `"${text}" is no duration; write it as 5s or 1m30s`),
      );
    }
  }
  const { createNamespace } = readSyncOptions(policy.syncOptions);
  if (policy.managedNamespaceMetadata !== undefined && !createNamespace) {
    problems.push(
      fieldWarning(
        `${field}.managedNamespaceMetadata`,
        "has no effect without syncOptions: [CreateNamespace=true]",
      ),
    );
  }
  return problems;
}

/** Each is evaluated by itself, on both sides of every object that changed. */
const mostExpressions = 100;

function tooManyExpressions(rules: readonly ResourceIgnoreDifferences[], field: string): FieldProblem[] {
  const count = rules.reduce((sum, { jqPathExpressions = [] }) => sum + jqPathExpressions.length, 0);
  if (count <= mostExpressions) return [];
  const problem = `has ${count} jqPathExpressions, and may have ${mostExpressions}; one may name several fields: .spec.a, .spec.b`;
  return [fieldError(field, problem)];
}

function ignoreRules(rule: ResourceIgnoreDifferences, field: string): FieldProblem[] {
  const { jsonPointers = [], jqPathExpressions = [], managedFieldsManagers = [] } = rule;
  if (jsonPointers.length + jqPathExpressions.length + managedFieldsManagers.length === 0) {
    return [
      fieldWarning(field, "ignores nothing: add jsonPointers, jqPathExpressions or managedFieldsManagers"),
    ];
  }
  return jsonPointers.flatMap((pointer, index) =>
    pointer.startsWith("/")
      ? []
      : [
          fieldError(
            `${field}.jsonPointers[${index}]`,
            `"${pointer}" must begin with /, such as /spec/replicas`,
          ),
        ],
  );
}
