import { isValidGlob, parseDuration } from "@capstan/formats";
import { annotationKeys } from "../annotations.ts";
import { argoApiVersion } from "../application/application.ts";
import type { FieldProblem } from "../failures/failure.ts";
import { fieldError, fieldWarning, hasShape, validateNoun } from "../validation.ts";
import { type AppProject, appProjectSchema, type ProjectRole, type SyncWindow } from "./app-project.ts";
import { checkSecretStores } from "./secret-stores.ts";

const noun = { schema: appProjectSchema, apiVersion: argoApiVersion };

export function validateAppProject(value: unknown): FieldProblem[] {
  return validateNoun(value, noun, projectRules);
}

export function isAppProject(value: unknown): value is AppProject {
  return hasShape(appProjectSchema, value);
}

function projectRules({ metadata, spec }: AppProject): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const stores = metadata.annotations?.[annotationKeys.secretStores];
  if (stores !== undefined)
    problems.push(...checkSecretStores(stores, `metadata.annotations["${annotationKeys.secretStores}"]`));
  for (const [index, repository] of (spec.sourceRepos ?? []).entries()) {
    if (repository === "!*")
      problems.push(
        fieldError(
          `spec.sourceRepos[${index}]`,
          "source repository has an invalid format, '!*': it denies everything",
        ),
      );
  }
  for (const [index, { server = "", name = "", namespace = "" }] of (spec.destinations ?? []).entries()) {
    const field = `spec.destinations[${index}]`;
    for (const [part, value] of Object.entries({ server, name, namespace })) {
      if (value === "!*")
        problems.push(
          fieldError(`${field}.${part}`, `${part} has an invalid format, '!*': it denies everything`),
        );
    }
    if (server === "" && name === "")
      problems.push(fieldWarning(field, "permits nothing: it needs server or name"));
  }
  problems.push(...roleRules(spec.roles ?? [], metadata.name));
  const windows = new Set<string>();
  for (const [index, window] of (spec.syncWindows ?? []).entries()) {
    const field = `spec.syncWindows[${index}]`;
    problems.push(...windowRules(window, field));
    const { manualSync: _manual, description: _text, syncOverrun: _overrun, ...identity } = window;
    const text = JSON.stringify(Object.entries(identity).sort());
    if (windows.has(text)) problems.push(fieldError(field, "is the same as another window; remove one"));
    windows.add(text);
  }
  problems.push(...serviceAccountRules(spec.destinationServiceAccounts ?? []));
  return problems;
}

/** v1alpha1 AppProject.ValidateProject, in its words. */
function serviceAccountRules(
  accounts: NonNullable<AppProject["spec"]["destinationServiceAccounts"]>,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const destinations = new Set<string>();
  for (const [index, { server, namespace = "", defaultServiceAccount }] of accounts.entries()) {
    const field = `spec.destinationServiceAccounts[${index}]`;
    const refuse = (part: string, value: string) =>
      problems.push(fieldError(`${field}.${part}`, `${part} has an invalid format, '${value}'`));
    for (const [part, value] of Object.entries({ server, namespace }))
      if (value.includes("!") || !isValidGlob(value)) refuse(part, value);
    if (defaultServiceAccount.trim() === "" || /[!*[\]{}\\/]/.test(defaultServiceAccount))
      refuse("defaultServiceAccount", defaultServiceAccount);
    const destination = `${server}/${namespace}`;
    if (destinations.has(destination))
      problems.push(fieldError(field, `destinationServiceAccount '${destination}' already added`));
    destinations.add(destination);
  }
  return problems;
}

const roleName = /^[a-zA-Z0-9](?:[-_a-zA-Z0-9]*[a-zA-Z0-9])?$/;

function roleRules(roles: readonly ProjectRole[], project: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const names = new Set<string>();
  for (const [index, { name, policies = [], groups = [] }] of roles.entries()) {
    const field = `spec.roles[${index}]`;
    if (!roleName.test(name)) {
      problems.push(
        fieldError(
          `${field}.name`,
          `"${name}" may hold letters, digits, - and _, the first and last no sign`,
        ),
      );
    }
    if (names.has(name))
      problems.push(fieldError(`${field}.name`, `"${name}" is the name of another role too`));
    names.add(name);
    for (const [at, policy] of policies.entries()) {
      const problem = policyProblem(policy, project, name);
      if (problem !== undefined) problems.push(fieldError(`${field}.policies[${at}]`, problem));
    }
    for (const [at, group] of groups.entries()) {
      if (group.trim() === "") problems.push(fieldError(`${field}.groups[${at}]`, "is empty"));
      if (group.includes(",") && !/^".*"$/.test(group)) {
        problems.push(fieldError(`${field}.groups[${at}]`, `"${group}" holds a comma: put it in quotes`));
      }
    }
  }
  return problems;
}

const resources = ["applications", "applicationsets", "logs", "exec", "clusters", "repositories"];
const actions = /^(?:get|create|update|delete|sync|override|rollback|\*|(?:action|update|delete)\/.+)$/;

function policyProblem(policy: string, project: string, role: string): string | undefined {
  const [type, subject = "", resource = "", action = "", object = "", effect, ...more] = policy
    .split(",")
    .map((part) => part.trim());
  if (type !== "p" || effect === undefined || more.length > 0) {
    return `"${policy}" must read: p, proj:${project}:${role}, <resource>, <action>, <object>, allow or deny`;
  }
  if (subject !== `proj:${project}:${role}`)
    return `the subject must be proj:${project}:${role}, not ${subject}`;
  if (!resources.includes(resource))
    return `the resource must be one of ${resources.join(", ")}, not ${resource}`;
  if (!actions.test(action)) return `"${action}" is no action`;
  if (!object.startsWith(`${project}/`)) return `the object must begin with ${project}/, not be ${object}`;
  return effect === "allow" || effect === "deny"
    ? undefined
    : `the effect must be allow or deny, not ${effect}`;
}

function windowRules(window: SyncWindow, field: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const { kind, schedule = "", duration = "", applications = [], namespaces = [], clusters = [] } = window;
  if (kind === undefined) problems.push(fieldError(`${field}.kind`, "is missing: allow or deny"));
  if (schedule.trim().split(/\s+/).length !== 5) {
    problems.push(fieldError(`${field}.schedule`, `"${schedule}" must be a cron expression of five fields`));
  }
  if (parseDuration(duration) === undefined) {
    problems.push(fieldError(`${field}.duration`, `"${duration}" is no duration; write it as 30m or 8h`));
  }
  if (applications.length + namespaces.length + clusters.length === 0) {
    problems.push(fieldError(field, "needs at least one of applications, namespaces and clusters"));
  }
  return problems;
}
