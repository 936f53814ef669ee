import { formatTime } from "@capstan/formats";
import { completeRepository, repositoryFor, type Settings } from "@capstan/kube";
import { CapstanError, type Repository, steeringFields, templateFor, withoutUserinfo } from "@capstan/model";
import type { ConnectionState, RestRepository } from "@capstan/wire";
import type { HandlerOf, Identity } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import type { ApiContext } from "../context.ts";
import type { ConnectionStates } from "./connection-states.ts";
import { deleteSecret, writeSecret } from "./labelled-secrets.ts";
import { readRepository, settingsOf, withoutEmpty } from "./read-repository.ts";
import type { RepositoryKind } from "./repository-kind.ts";
import { repositorySecret } from "./repository-secret.ts";
import { shownRepository } from "./shown-repository.ts";
import { findRepository, repositoryObject, secretOf, storedRepository } from "./stored-repository.ts";

export type RepositoryNeeds = Pick<
  ApiContext,
  "settings" | "rights" | "kube" | "live" | "repo" | "clock" | "controlNamespace"
> & { connections: ConnectionStates; kind: RepositoryKind };

export function listRepositories(context: RepositoryNeeds): HandlerOf<"listRepositories"> {
  return async ({ appProject, forceRefresh }, { user, signal }) => {
    const { settings, rights, kind } = context;
    const { resource } = kind;
    const seen = kind
      .stored(settings.current)
      .filter((one) => !appProject || !one.project || one.project === appProject)
      .filter((one) => rights.allows(user, { resource, action: "get", object: repositoryObject(one) }));
    const items = seen.map(async (one) =>
      shownRepository(one, await stateOf(context, one, { forceRefresh, signal })),
    );
    return { metadata: {}, items: await Promise.all(items) };
  };
}

async function stateOf(
  { repo, settings, connections, kind }: RepositoryNeeds,
  one: Repository,
  { forceRefresh, signal }: { forceRefresh: boolean | undefined; signal: AbortSignal },
): Promise<ConnectionState> {
  const repository = repositoryFor(settingsFor(kind, settings.current), one.url, one.project);
  return connections.stateOf(stateKey(kind, one), {
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
    requireRight(context.rights, user, { resource: context.kind.resource, action: "create", object });
    const stored = storedRepository(context, given);
    if (stored && upsert) requireUpdate(context, user, [stored, given]);
    requireStraightWay(context, given);
    requireMachine(context, given, user);
    // Argo CD leaves project repositories untested, since their owners may not reach them from here.
    const isTested = !given.project;
    if (isTested) await testConnection(context, given, signal);
    await write(context, wanted, { stored, upsert, signal });
    return answer(context, given, isTested);
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
    requireMachine(context, given, user);
    await testConnection(context, given, signal);
    await write(context, wanted, { stored, upsert: true, signal });
    context.connections.forget(stateKey(context.kind, stored));
    return answer(context, given, true);
  };
}

/** Repositories and templates of one use, as those of reading are looked up. */
function settingsFor(kind: RepositoryKind, settings: Settings) {
  return { ...settings, repositories: kind.stored(settings), credentialTemplates: kind.templates(settings) };
}

function stateKey({ resource }: RepositoryKind, one: Repository): string {
  return `${resource} ${repositoryObject(one)}`;
}

function requireUpdate(
  { rights, kind: { resource } }: Pick<RepositoryNeeds, "rights" | "kind">,
  user: Identity,
  objects: readonly Repository[],
): void {
  for (const one of objects)
    requireRight(rights, user, { resource, action: "update", object: repositoryObject(one) });
}

/** A tenant does not say which way the password of a template goes. */
function requireStraightWay(
  { settings, kind }: Pick<RepositoryNeeds, "settings" | "kind">,
  given: Repository,
): void {
  const [field] = steeringFields(given);
  if (!field || !templateFor(kind.templates(settings.current), given.url, given.project)) return;
  throw new CapstanError({
    code: "INVALID_ARGUMENT",
    field,
    problem: `cannot be set on a repository of project ${given.project} that has its credentials from a template: give it credentials of its own, or let whoever may change the template set it there`,
  });
}

/** Folders of the machine are everybody's: a project gets one by its own Secret from whoever may add them for all. */
function requireMachine(
  { rights, kind: { resource } }: Pick<RepositoryNeeds, "rights" | "kind">,
  { url, project }: Repository,
  user: Identity,
): void {
  if (project && /^\s*(?:file:|\/)/i.test(url))
    requireRight(rights, user, { resource, action: "create", object: url });
}

async function write(
  context: RepositoryNeeds,
  wanted: RestRepository,
  of: { stored: ReturnType<typeof storedRepository>; upsert: boolean; signal: AbortSignal },
): Promise<void> {
  const { kind, controlNamespace: namespace } = context;
  const stored = of.stored && secretOf(of.stored, kind.secretType);
  const what = `repository "${withoutUserinfo(wanted.repo)}"`;
  await writeSecret(context, repositorySecret(wanted, { namespace, kind }), { ...of, stored, what });
}

/** Of one that was not tested nothing is said. */
function answer(
  { clock, connections, kind }: RepositoryNeeds,
  repository: Repository,
  isTested: boolean,
): RestRepository {
  connections.forget(stateKey(kind, repository));
  const state: ConnectionState = { status: "Successful", attemptedAt: formatTime(clock.now()) };
  return shownRepository(repository, isTested ? state : undefined);
}

async function testConnection(
  { repo, settings, kind }: RepositoryNeeds,
  given: Repository,
  signal: AbortSignal,
): Promise<void> {
  const repository = completeRepository(settingsFor(kind, settings.current), given, given.project);
  await repo.testRepository({ repository }, signal);
}

export function deleteRepository(context: RepositoryNeeds): HandlerOf<"deleteRepository"> {
  return async ({ repo, appProject }, { user, signal }) => {
    const project = appProject || undefined;
    const found = findRepository(context, { url: repo, project, user, action: "delete" });
    const what = `repository "${withoutUserinfo(repo)}"`;
    await deleteSecret(context, secretOf(found, context.kind.secretType), { what, signal });
    context.connections.forget(stateKey(context.kind, found));
    return {};
  };
}

export function validateRepository(context: RepositoryNeeds): HandlerOf<"validateRepository"> {
  return async ({ repo, enableOci, insecureOciForceHttp, ...asked }, { user, signal }) => {
    const oci = { enableOCI: enableOci, insecureOCIForceHttp: insecureOciForceHttp };
    const given = settingsOf(readRepository({ repo, ...withoutEmpty({ ...asked, ...oci }) }));
    const { resource } = context.kind;
    requireRight(context.rights, user, { resource, action: "create", object: repositoryObject(given) });
    requireStraightWay(context, given);
    await testConnection(context, given, signal);
    return {};
  };
}
