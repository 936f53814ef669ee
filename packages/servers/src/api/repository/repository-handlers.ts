import { permitSource } from "@capstan/engine";
import { formatTime } from "@capstan/formats";
import { completeRepository, permittedRepository, repositoryFor } from "@capstan/kube";
import {
  type ApplicationSource,
  applicationSourceSchema,
  CapstanError,
  checkShape,
  type Repository,
  steeringFields,
  templateFor,
  withoutUserinfo,
} from "@capstan/model";
import type { ConnectionState, RestRepository } from "@capstan/wire";
import type { HandlerOf, Identity } from "../../call.ts";
import { findProject } from "../access/find-project.ts";
import { requireRight } from "../access/rights.ts";
import type { ApiContext } from "../context.ts";
import type { ConnectionStates } from "./connection-states.ts";
import { deleteSecret, writeSecret } from "./labelled-secrets.ts";
import { readRepository, settingsOf } from "./read-repository.ts";
import { repositorySecret } from "./repository-secret.ts";
import { shownRepository } from "./shown-repository.ts";
import {
  findRepository,
  repositoryObject,
  repositoryResource,
  secretOf,
  storedRepository,
} from "./stored-repository.ts";

export type RepositoryNeeds = Pick<
  ApiContext,
  "settings" | "rights" | "kube" | "live" | "repo" | "clock" | "controlNamespace"
> & { connections: ConnectionStates };

const resource = repositoryResource;

export function listRepositories(context: RepositoryNeeds): HandlerOf<"listRepositories"> {
  return async ({ appProject, forceRefresh }, { user, signal }) => {
    const { settings, rights } = context;
    const seen = settings.current.repositories
      .filter((one) => !appProject || !one.project || one.project === appProject)
      .filter((one) => rights.allows(user, { resource, action: "get", object: repositoryObject(one) }));
    const items = seen.map(async (one) =>
      shownRepository(one, await stateOf(context, one, { forceRefresh, signal })),
    );
    return { metadata: {}, items: await Promise.all(items) };
  };
}

async function stateOf(
  { repo, settings, connections }: RepositoryNeeds,
  one: Repository,
  { forceRefresh, signal }: { forceRefresh: boolean | undefined; signal: AbortSignal },
): Promise<ConnectionState> {
  const repository = repositoryFor(settings.current, one.url, one.project);
  return connections.stateOf(repositoryObject(one), {
    test: () => repo.testRepository({ repository }, signal),
    isFresh: forceRefresh ?? false,
  });
}

export function getRepository(context: RepositoryNeeds): HandlerOf<"getRepository"> {
  return async ({ repo, appProject, forceRefresh }, { user, signal }) => {
    const found = findRepository(context, { url: repo, project: appProject, user, action: "get" });
    return shownRepository(found, await stateOf(context, found, { forceRefresh, signal }));
  };
}

export function createRepository(context: RepositoryNeeds): HandlerOf<"createRepository"> {
  return async ({ repo, upsert = false }, { user, signal }) => {
    const wanted = readRepository(repo);
    const given = settingsOf(wanted);
    const object = repositoryObject(given);
    requireRight(context.rights, user, { resource, action: "create", object });
    const stored = storedRepository(context, given);
    if (stored && upsert) requireUpdate(context, user, [stored, given]);
    requireStraightWay(context, given);
    // Argo CD leaves project repositories untested, since their owners may not reach them from here.
    if (!given.project) await testConnection(context, given, signal);
    await write(context, wanted, { stored, upsert, signal });
    return answer(context, wanted);
  };
}

/** The right is asked on the repository as it is stored and as it shall be: its project may change. */
export function updateRepository(context: RepositoryNeeds): HandlerOf<"updateRepository"> {
  return async ({ url, repo }, { user, signal }) => {
    const wanted = readRepository({ ...repo, repo: repo?.repo || url });
    const given = settingsOf(wanted);
    requireUpdate(context, user, [given]);
    const meant = {
      url: wanted.repo,
      project: given.project,
      user,
      action: "update",
      elsewhere: true,
    } as const;
    const stored = storedRepository(context, given) ?? findRepository(context, meant);
    requireUpdate(context, user, [stored]);
    requireStraightWay(context, given);
    await testConnection(context, given, signal);
    await write(context, wanted, { stored, upsert: true, signal });
    context.connections.forget(repositoryObject(stored));
    return answer(context, wanted);
  };
}

function requireUpdate(
  { rights }: Pick<RepositoryNeeds, "rights">,
  user: Identity,
  objects: readonly Repository[],
): void {
  for (const one of objects)
    requireRight(rights, user, { resource, action: "update", object: repositoryObject(one) });
}

/** A tenant does not say which way the password of a template goes. */
function requireStraightWay({ settings }: Pick<RepositoryNeeds, "settings">, given: Repository): void {
  const [field] = steeringFields(given);
  if (!field || !templateFor(settings.current.credentialTemplates, given.url, given.project)) return;
  throw new CapstanError({
    code: "INVALID_ARGUMENT",
    field,
    problem: `cannot be set on a repository of project ${given.project} that has its credentials from a template: give it credentials of its own, or let whoever may change the template set it there`,
  });
}

async function write(
  context: RepositoryNeeds,
  wanted: RestRepository,
  of: { stored: ReturnType<typeof storedRepository>; upsert: boolean; signal: AbortSignal },
): Promise<void> {
  const stored = of.stored && secretOf(of.stored, "repository");
  const what = `repository "${withoutUserinfo(wanted.repo)}"`;
  await writeSecret(context, repositorySecret(wanted, context.controlNamespace), { ...of, stored, what });
}

function answer({ clock, connections }: RepositoryNeeds, wanted: RestRepository): RestRepository {
  const repository = settingsOf(wanted);
  connections.forget(repositoryObject(repository));
  const state: ConnectionState = { status: "Successful", attemptedAt: formatTime(clock.now()) };
  return shownRepository(repository, state);
}

async function testConnection(
  { repo, settings }: RepositoryNeeds,
  given: Repository,
  signal: AbortSignal,
): Promise<void> {
  const repository = completeRepository(settings.current, given, given.project);
  await repo.testRepository({ repository }, signal);
}

export function deleteRepository(context: RepositoryNeeds): HandlerOf<"deleteRepository"> {
  return async ({ repo, appProject }, { user, signal }) => {
    const project = appProject || undefined;
    const found = findRepository(context, { url: repo, project, user, action: "delete" });
    const what = `repository "${withoutUserinfo(repo)}"`;
    await deleteSecret(context, secretOf(found, "repository"), { what, signal });
    context.connections.forget(repositoryObject(found));
    return {};
  };
}

export function validateRepository(context: RepositoryNeeds): HandlerOf<"validateRepository"> {
  return async ({ repo, password, project, username, type, insecure }, { user, signal }) => {
    const given = settingsOf(
      readRepository({
        repo,
        ...(project ? { project } : {}),
        ...(username ? { username } : {}),
        ...(type ? { type } : {}),
        ...(insecure ? { insecure } : {}),
        ...(typeof password === "string" && password !== "" ? { password } : {}),
      }),
    );
    requireRight(context.rights, user, { resource, action: "create", object: repositoryObject(given) });
    requireStraightWay(context, given);
    await testConnection(context, given, signal);
    return {};
  };
}

function named(url: string, appProject: string | undefined): Pick<Repository, "url" | "project"> {
  return { url, ...(appProject ? { project: appProject } : {}) };
}

export function listRepositoryRefs(context: RepositoryNeeds): HandlerOf<"listRepositoryRefs"> {
  return async ({ repo: repoURL, appProject }, { user, signal }) => {
    const repository = readableRepository(context, { source: { repoURL }, appProject, user });
    return context.repo.listRefs({ repository }, signal);
  };
}

export function listRepositoryApps(context: RepositoryNeeds): HandlerOf<"listRepositoryApps"> {
  return async ({ repo: repoURL, revision, appProject }, { user, signal }) => {
    const source = { repoURL, ...(revision ? { targetRevision: revision } : {}) };
    const repository = readableRepository(context, { source, appProject, user });
    const apps = await context.repo.listApps({ repository, source }, signal);
    return { items: Object.entries(apps).map(([path, type]) => ({ path, type })) };
  };
}

/** Says by what a source would be rendered; details of charts and kustomizations are for a later issue. */
export function getRepositoryAppDetails(context: RepositoryNeeds): HandlerOf<"getRepositoryAppDetails"> {
  return async ({ source: given, appProject }, { user, signal }) => {
    const source = readSource(given);
    const repository = readableRepository(context, { source, appProject, user });
    const apps = await context.repo.listApps({ repository, source }, signal);
    return { type: apps[source.path ?? "."] ?? "Directory" };
  };
}

function readSource(source: ApplicationSource | undefined): ApplicationSource {
  const problems = checkShape(applicationSourceSchema.shape, source).filter(
    ({ severity }) => severity === "error",
  );
  if (source && problems.length === 0) return source;
  throw new CapstanError({ code: "INVALID_SPEC", what: "source", problems });
}

interface Readable {
  source: ApplicationSource;
  appProject: string | undefined;
  user: Identity;
}

/**
 * A repository to be looked into before an application uses it, with its credentials: as an application of the project
 * might, or by the right on the repositories of all (server/repository isRepoPermittedInProject).
 */
function readableRepository(
  context: Pick<RepositoryNeeds, "settings" | "rights" | "live" | "controlNamespace">,
  { source, appProject, user }: Readable,
): Repository {
  const { settings, rights } = context;
  const object = repositoryObject(named(source.repoURL, appProject));
  requireRight(rights, user, { resource, action: "get", object });
  if (!appProject) return repositoryFor(settings.current, source.repoURL);
  const project = findProject(context, appProject);
  if (!project)
    throw new CapstanError({
      code: "FORBIDDEN",
      action: "get",
      what: `${resource} ${object}`,
      user: user.name,
    });
  return permittedRepository(settings.current, permitSource(project, source));
}
