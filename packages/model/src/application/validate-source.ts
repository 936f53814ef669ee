import type { FieldProblem } from "../failures/failure.ts";
import { fieldError, fieldWarning } from "../validation.ts";
import type { ApplicationSource } from "./source.ts";

const toolNames = ["helm", "kustomize", "directory", "plugin"] as const;
const refPattern = /^[A-Za-z0-9_-]+$/;

/** Sections of a source that force a tool. */
export function toolsOf(source: Partial<ApplicationSource>): string[] {
  return toolNames.filter((name) => source[name] !== undefined && source[name] !== null);
}

/** A single source (v1alpha1 and util/argo ValidateRepo, verifyGenerateManifests). */
export function validateSource(source: ApplicationSource, field: string): FieldProblem[] {
  const problems = commonRules(source, field);
  if (isEmpty(source.path) && isEmpty(source.chart)) {
    problems.push(
      fieldError(field, "needs path (a directory of the repository, or . for its root) or chart"),
    );
  }
  if (!isEmpty(source.ref)) {
    problems.push(
      fieldWarning(`${field}.ref`, "has an effect only in spec.sources, where others refer to it"),
    );
  }
  return problems;
}

/** Several sources, which may also be there only for others to refer to. */
export function validateSources(sources: readonly ApplicationSource[], field: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const refs = new Set<string>();
  const names = new Set<string>();
  for (const [index, source] of sources.entries()) {
    const at = `${field}[${index}]`;
    problems.push(...commonRules(source, at));
    const { ref, name } = source;
    if (isEmpty(source.path) && isEmpty(source.chart) && isEmpty(ref)) {
      problems.push(fieldError(at, "needs path, chart or ref"));
    }
    problems.push(...uniqueness(ref, refs, `${at}.ref`), ...uniqueness(name, names, `${at}.name`));
    if (!isEmpty(ref) && !isEmpty(source.chart)) {
      problems.push(
        fieldError(`${at}.ref`, "a chart cannot be referred to; use a source with a git repository"),
      );
    }
  }
  return problems;
}

function uniqueness(value: string | undefined, seen: Set<string>, field: string): FieldProblem[] {
  if (value === undefined || value === "") return [];
  if (seen.has(value)) return [fieldError(field, `"${value}" is used by another source too; choose another`)];
  seen.add(value);
  return [];
}

function commonRules(source: ApplicationSource, field: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (source.repoURL === "") problems.push(fieldError(`${field}.repoURL`, "is empty; name the repository"));
  const tools = toolsOf(source);
  if (tools.length > 1) {
    problems.push(
      fieldError(field, `is configured for several tools: ${tools.join(", ")}. Keep one of them`),
    );
  }
  if (!isEmpty(source.chart) && isEmpty(source.targetRevision)) {
    problems.push(
      fieldError(`${field}.targetRevision`, "a chart needs a version or a constraint, such as 1.x"),
    );
  }
  if (!isEmpty(source.chart) && !isEmpty(source.path)) {
    problems.push(fieldWarning(`${field}.path`, "has no effect beside chart"));
  }
  if (source.ref !== undefined && source.ref !== "" && !refPattern.test(source.ref)) {
    problems.push(fieldError(`${field}.ref`, `"${source.ref}" may hold only letters, digits, - and _`));
  }
  if (!isEmpty(source.tagPrefix) && isEmpty(source.targetRevision)) {
    problems.push(fieldError(`${field}.tagPrefix`, "needs a version constraint in targetRevision"));
  }
  return [...problems, ...pathRules(source.path, `${field}.path`), ...toolRules(source, field)];
}

function pathRules(path: string | undefined, field: string): FieldProblem[] {
  if (path === undefined || path === "" || path.includes("{{")) return [];
  if (path.startsWith("/"))
    return [fieldError(field, "must be relative to the repository's root: drop the leading /")];
  return leadsOutside(path) ? [fieldError(field, `"${path}" leads out of the repository`)] : [];
}

function leadsOutside(path: string): boolean {
  let depth = 0;
  for (const part of path.split("/")) {
    if (part === "..") depth -= 1;
    else if (part !== "" && part !== ".") depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

function toolRules({ helm, kustomize, plugin }: ApplicationSource, field: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const version = helm?.version ?? "";
  if (version !== "" && version !== "v3" && version !== "v4" && !version.includes("{{")) {
    problems.push(fieldError(`${field}.helm.version`, `"${version}" is none of v3, v4`));
  }
  if (!isEmpty(helm?.values) && helm?.valuesObject !== undefined) {
    problems.push(
      fieldWarning(`${field}.helm.values`, "has no effect beside valuesObject; keep one of them"),
    );
  }
  for (const [index, { name, value }] of (helm?.parameters ?? []).entries()) {
    const at = `${field}.helm.parameters[${index}]`;
    if (isEmpty(name)) problems.push(fieldError(`${at}.name`, "is empty; name the value to set"));
    if (value === undefined) problems.push(fieldWarning(`${at}.value`, "is missing and counts as empty"));
  }
  for (const [index, { patch, path }] of (kustomize?.patches ?? []).entries()) {
    if (isEmpty(patch) && isEmpty(path)) {
      problems.push(fieldError(`${field}.kustomize.patches[${index}]`, "needs patch or path"));
    }
  }
  for (const [index, parameter] of (plugin?.parameters ?? []).entries()) {
    if (isEmpty(parameter.name)) {
      problems.push(fieldError(`${field}.plugin.parameters[${index}].name`, "is empty; name the parameter"));
    }
  }
  return problems;
}

function isEmpty(text: string | undefined): boolean {
  return text === undefined || text === "";
}
