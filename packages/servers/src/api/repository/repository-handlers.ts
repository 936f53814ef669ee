import { normalizeGitUrl, repositoryFor } from "@capstan/kube";
import { CapstanError, formatTime, type Repository } from "@capstan/model";
import type { ConnectionState, RestRepository } from "@capstan/wire";
import type { HandlerOf, Identity } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import type { ApiContext } from "../context.ts";
import type { ConnectionStates } from "./connection-states.ts";
import { findSecret, writeSecret } from "./labelled-secrets.ts";
import { repositorySecret } from "./repository-secret.ts";
import { shownRepository } from "./shown-repository.ts";

export type RepositoryNeeds = Pick<
  ApiContext,
  "settings" | "rights" | "kube" | "repo" | "clock" | "controlNamespace"
> & { connections: ConnectionStates };

const resource = "repositories";

/** `project/url` for repositories of one project. */
function objectOf({ repo, project }: { repo: string; project?: string | undefined }): string {
  return project ? `${project}/${repo}` : repo;
}

export function listRepositories(context: RepositoryNeeds): HandlerOf<"listRepositories"> {
  return async ({ appProject, forceRefresh }, { user, signal }) => {
    const { settings, rights } = context;
    const seen = settings.current.repositories
      .filter((one) => !appProject || !one.project || one.project === appProject)
      .filter((one) =>
        rights.allows(user, {
          resource,
          action: "get",
          object: objectOf({ repo: one.url, ...project(one) }),
        }),
      );
    const items = seen.map(async (one) =>
      shownRepository(one, await stateOf(context, one, { forceRefresh, signal })),
    );
    return { metadata: {}, items: await Promise.all(items) };
  };
}

function project(one: { project?: string }): { project?: string } {
  return one.project ? { project: one.project } : {};
}

async function stateOf(
  { repo, settings, connections }: RepositoryNeeds,
  one: Repository,
  { forceRefresh, signal }: { forceRefresh: boolean | undefined; signal: AbortSignal },
): Promise<ConnectionState> {
  const repository = repositoryFor(settings.current, one.url, one.project);
  return connections.stateOf(objectOf({ repo: one.url, ...project(one) }), {
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

interface Wanted {
  url: string;
  project: string | undefined;
  user: Identity;
  action: string;
}

function findRepository({ settings, rights }: Pick<RepositoryNeeds, "settings" | "rights">, wanted: Wanted) {
  const { url, project: inProject, user, action } = wanted;
  const same = settings.current.repositories.filter(
    (one) => normalizeGitUrl(one.url) === normalizeGitUrl(url),
  );
  const found = same.find((one) => (inProject ? one.project === inProject : true)) ?? same[0];
  const object = found
    ? objectOf({ repo: found.url, ...project(found) })
    : objectOf({ repo: url, project: inProject });
  requireRight(rights, user, { resource, action, object });
  if (!found) throw new CapstanError({ code: "NOT_FOUND", what: `repository "${url}"` });
  return found;
}

export function createRepository(context: RepositoryNeeds): HandlerOf<"createRepository"> {
  return async ({ repo, upsert }, { user, signal }) => {
    const wanted = readRepository(repo);
    requireRight(context.rights, user, { resource, action: "create", object: objectOf(wanted) });
    // Argo CD leaves project repositories untested, since their owners may not reach them from here.
    if (!wanted.project) await testConnection(context, wanted, signal);
    const secret = repositorySecret(wanted, context.controlNamespace);
    const what = `repository "${wanted.repo}"`;
    const mayReplace = () =>
      requireRight(context.rights, user, { resource, action: "update", object: objectOf(wanted) });
    await writeSecret(context, secret, { upsert: upsert ?? false, what, mayReplace, signal });
    return answer(context, wanted);
  };
}

export function updateRepository(context: RepositoryNeeds): HandlerOf<"updateRepository"> {
  return async ({ url, repo }, { user, signal }) => {
    const wanted = readRepository({ ...repo, repo: repo?.repo || url });
    findRepository(context, { url: wanted.repo, project: wanted.project, user, action: "update" });
    await testConnection(context, wanted, signal);
    const secret = repositorySecret(wanted, context.controlNamespace);
    await writeSecret(context, secret, {
      upsert: true,
      what: `repository "${wanted.repo}"`,
      mayReplace: () => undefined,
      signal,
    });
    return answer(context, wanted);
  };
}

function answer({ clock, connections }: RepositoryNeeds, wanted: RestRepository): RestRepository {
  connections.forget(objectOf(wanted));
  const state: ConnectionState = { status: "Successful", attemptedAt: formatTime(clock.now()) };
  return shownRepository(settingsOf(wanted), state);
}

function readRepository(given: RestRepository | undefined): RestRepository {
  if (!given || typeof given.repo !== "string" || given.repo.trim() === "")
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field: "repo",
      problem: "is missing; give the repository's URL",
    });
  return { ...given, repo: given.repo.trim() };
}

async function testConnection(
  { repo, settings }: RepositoryNeeds,
  wanted: RestRepository,
  signal: AbortSignal,
): Promise<void> {
  const given = settingsOf(wanted);
  const inherited = repositoryFor({ ...settings.current, repositories: [] }, wanted.repo, wanted.project);
  await repo.testRepository({ repository: { ...inherited, ...given } }, signal);
}

function settingsOf({ repo, type, connectionState: _, ...rest }: RestRepository): Repository {
  const kind = type === "helm" || type === "oci" ? type : "git";
  const {
    name,
    project: inProject,
    username,
    password,
    bearerToken,
    sshPrivateKey,
    insecure,
    enableLfs,
  } = rest;
  const {
    tlsClientCertData,
    tlsClientCertKey,
    proxy,
    noProxy,
    forceHttpBasicAuth,
    depth,
    insecureIgnoreHostKey,
  } = rest;
  const fields = {
    name,
    project: inProject,
    username,
    password,
    bearerToken,
    sshPrivateKey,
    insecure: insecure || insecureIgnoreHostKey || undefined,
    enableLfs,
    tlsClientCertData,
    tlsClientCertKey,
    proxy,
    noProxy,
    forceHttpBasicAuth,
    depth,
  };
  return { url: repo, type: kind, ...withoutUndefined(fields) };
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

export function deleteRepository(context: RepositoryNeeds): HandlerOf<"deleteRepository"> {
  return async ({ repo, appProject }, { user, signal }) => {
    const { kube, controlNamespace, connections } = context;
    const found = findRepository(context, { url: repo, project: appProject, user, action: "delete" });
    const name = findSecret(context, { type: "repository", url: found.url, project: found.project });
    await kube.delete({ apiVersion: "v1", kind: "Secret", namespace: controlNamespace, name }, { signal });
    connections.forget(objectOf({ repo: found.url, ...project(found) }));
    return {};
  };
}

export function validateRepository(context: RepositoryNeeds): HandlerOf<"validateRepository"> {
  return async ({ repo, password, project: inProject, username, type, insecure }, { user, signal }) => {
    const wanted: RestRepository = {
      repo,
      ...(inProject ? { project: inProject } : {}),
      ...(username ? { username } : {}),
      ...(type ? { type } : {}),
      ...(insecure ? { insecure } : {}),
      ...(typeof password === "string" && password !== "" ? { password } : {}),
    };
    requireRight(context.rights, user, { resource, action: "create", object: objectOf(wanted) });
    await testConnection(context, wanted, signal);
    return {};
  };
}

export function listRepositoryRefs({
  settings,
  rights,
  repo,
}: RepositoryNeeds): HandlerOf<"listRepositoryRefs"> {
  return async ({ repo: url, appProject }, { user, signal }) => {
    requireRight(rights, user, {
      resource,
      action: "get",
      object: objectOf({ repo: url, project: appProject }),
    });
    return repo.listRefs({ repository: repositoryFor(settings.current, url, appProject) }, signal);
  };
}

export function listRepositoryApps({
  settings,
  rights,
  repo,
}: RepositoryNeeds): HandlerOf<"listRepositoryApps"> {
  return async ({ repo: url, revision, appProject }, { user, signal }) => {
    requireRight(rights, user, {
      resource,
      action: "get",
      object: objectOf({ repo: url, project: appProject }),
    });
    const repository = repositoryFor(settings.current, url, appProject);
    const source = { repoURL: url, ...(revision ? { targetRevision: revision } : {}) };
    const apps = await repo.listApps({ repository, source }, signal);
    return { items: Object.entries(apps).map(([path, type]) => ({ path, type })) };
  };
}

/** Says by what a source would be rendered; details of charts and kustomizations are for a later issue. */
export function getRepositoryAppDetails({
  settings,
  rights,
  repo,
}: RepositoryNeeds): HandlerOf<"getRepositoryAppDetails"> {
  return async ({ source, appProject }, { user, signal }) => {
    const object = objectOf({ repo: source.repoURL, project: appProject });
    requireRight(rights, user, { resource, action: "get", object });
    const repository = repositoryFor(settings.current, source.repoURL, appProject);
    const apps = await repo.listApps({ repository, source }, signal);
    return { type: apps[source.path ?? "."] ?? "Directory" };
  };
}
