import { isDeepStrictEqual } from "node:util";
import {
  type AppProject,
  argoApiVersion,
  CapstanError,
  projectOf,
  saidMetadata,
  validateAppProject,
} from "@capstan/model";
import type { Call, HandlerOf } from "../../call.ts";
import { isProject, projectKey } from "../access/find-project.ts";
import { requireRight } from "../access/rights.ts";
import { isServed } from "../access/served-applications.ts";
import { isApplication } from "../application/read-application.ts";
import { newestVersion } from "../application/resource-version.ts";
import type { ApiContext } from "../context.ts";
import { untilEchoed } from "../live-waits.ts";
import { pageByName, readPage } from "../paging/page-query.ts";
import { normalizeRoleTokens } from "../session/role-tokens.ts";
import { writeAnew } from "../write-anew.ts";
import { requireProjectChange } from "./require-project-change.ts";

export type ProjectNeeds = Pick<
  ApiContext,
  "live" | "kube" | "rights" | "settings" | "controlNamespace" | "clock"
>;

const resource = "projects";
export const defaultProject = "default";

/**
 * By name; limit, continue and sort (`name`, `-name`) are Capstan's own parameters, by REST alone. Argo CD's server takes
 * `name` and does nothing with it; here it is the project that is wanted.
 */
export function listProjects({ live, rights, controlNamespace }: ProjectNeeds): HandlerOf<"listProjects"> {
  return async (query, { user }) => {
    const { name } = query;
    const page = readPage(query, { sorts: ["name"], question: name ?? "" });
    const seen = live
      .ofKind("argoproj.io", "AppProject")
      .filter(isProject)
      .filter(({ metadata }) => metadata.namespace === controlNamespace && (!name || metadata.name === name))
      .filter(({ metadata }) => rights.allows(user, { resource, action: "get", object: metadata.name }));
    return pageByName(page, seen, newestVersion(seen));
  };
}

export function getProject(context: ProjectNeeds): HandlerOf<"getProject"> {
  return async ({ name }, { user, signal }) => {
    requireRight(context.rights, user, { resource, action: "get", object: name });
    return fetchProject(context, name, signal);
  };
}

/** From the watch cache; one that it has not seen yet from the cluster. */
export async function fetchProject(
  { live, kube, controlNamespace: namespace }: Pick<ProjectNeeds, "live" | "kube" | "controlNamespace">,
  name: string,
  signal: AbortSignal,
): Promise<AppProject> {
  const ref = { apiVersion: argoApiVersion, kind: "AppProject", namespace, name };
  const found = live.get(projectKey(namespace, name)) ?? (await kube.get(ref, signal));
  if (!isProject(found)) throw new CapstanError({ code: "NOT_FOUND", what: `project "${name}"` });
  return found;
}

export function createProject(context: ProjectNeeds): HandlerOf<"createProject"> {
  return async ({ project, upsert }, call) => {
    const { user, signal } = call;
    const { rights, kube, live, clock, controlNamespace } = context;
    const wanted = readNewProject(project, controlNamespace);
    const { name } = wanted.metadata;
    requireRight(rights, user, { resource, action: "create", object: name });
    const ref = { apiVersion: argoApiVersion, kind: "AppProject", namespace: controlNamespace, name };
    const existing = await kube.get(ref, signal);
    if (!isProject(existing)) {
      const written = await kube.create(wanted, { signal });
      await untilEchoed(live, { key: projectKey(controlNamespace, name), written }, { clock, signal });
      return isProject(written) ? written : wanted;
    }
    if (isDeepStrictEqual(existing.spec, wanted.spec)) return existing;
    if (!upsert)
      throw new CapstanError({
        code: "INVALID_ARGUMENT",
        field: "metadata.name",
        problem: `of "${name}" is taken: existing project spec is different, use upsert flag to force update`,
      });
    return replaceProject(context, wanted, call);
  };
}

export function updateProject(context: ProjectNeeds): HandlerOf<"updateProject"> {
  return async ({ name, project }, call) => {
    const wanted = readNewProject(
      { ...project, metadata: { ...project?.metadata, name } },
      context.controlNamespace,
    );
    return replaceProject(context, wanted, call);
  };
}

function readNewProject(given: AppProject, namespace: string): AppProject {
  const name = given?.metadata?.name;
  if (typeof name !== "string" || name === "")
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field: "metadata.name",
      problem: "is missing; name the project",
    });
  const project: AppProject = {
    apiVersion: argoApiVersion,
    kind: "AppProject",
    metadata: {
      name,
      namespace,
      ...saidMetadata(given.metadata),
    },
    spec: given.spec ?? {},
  };
  const problems = validateAppProject(project).filter(({ severity }) => severity === "error");
  if (problems.length > 0)
    throw new CapstanError({ code: "INVALID_SPEC", what: `project "${name}"`, problems });
  return project;
}

async function replaceProject(
  { rights, kube, live, clock, controlNamespace, settings }: ProjectNeeds,
  wanted: AppProject,
  { user, signal, keepUnsaid }: Call,
): Promise<AppProject> {
  const { name } = wanted.metadata;
  requireRight(rights, user, { resource, action: "update", object: name });
  const ref = { apiVersion: argoApiVersion, kind: "AppProject", namespace: controlNamespace, name };
  const what = `project "${name}"`;
  const written = await writeAnew(what, async () => {
    const current = await kube.get(ref, signal);
    if (!isProject(current)) throw new CapstanError({ code: "NOT_FOUND", what });
    requireProjectChange({ rights, live, controlNamespace, settings }, { current, wanted, user });
    const metadata = { ...current.metadata, ...wanted.metadata };
    const { spec } = keepUnsaid?.("project", wanted, current) ?? wanted;
    return kube.replace(normalizeRoleTokens({ ...current, spec, metadata }), { signal });
  });
  await untilEchoed(live, { key: projectKey(controlNamespace, name), written }, { clock, signal });
  return isProject(written) ? written : wanted;
}

/** Refused while applications refer to it; the default project stays (server/project/project.go Delete). */
export function deleteProject(context: ProjectNeeds): HandlerOf<"deleteProject"> {
  return async ({ name }, { user, signal }) => {
    const { rights, kube, live, clock, controlNamespace } = context;
    requireRight(rights, user, { resource, action: "delete", object: name });
    const what = `project "${name}"`;
    if (name === defaultProject)
      throw new CapstanError({
        code: "INVALID_ARGUMENT",
        field: "name",
        problem: `"${name}" is reserved and cannot be deleted`,
      });
    const users = live
      .ofKind("argoproj.io", "Application")
      .filter(isApplication)
      .filter((app) => projectOf(app) === name && isServed(context, app));
    if (users.length > 0) {
      const names = users
        .map(({ metadata }) => metadata.name)
        .sort()
        .slice(0, 5);
      const problem = `is used by ${users.length} applications: ${names.join(", ")}. Delete or move them first`;
      throw new CapstanError({ code: "FAILED_PRECONDITION", what, problem });
    }
    const ref = { apiVersion: argoApiVersion, kind: "AppProject", namespace: controlNamespace, name };
    await fetchProject(context, name, signal);
    const written = await kube.delete(ref, { signal });
    await untilEchoed(live, { key: projectKey(controlNamespace, name), written }, { clock, signal });
    return {};
  };
}
