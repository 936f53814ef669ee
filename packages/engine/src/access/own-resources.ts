import {
  type ApplicationDestination,
  type AppProject,
  entryFor,
  fitOfTemplate,
  hasCredentials,
  type Repository,
  templateFor,
  withoutUserinfo,
} from "@capstan/model";

/** Repositories and clusters as the settings know them, in their order. */
export interface ScopedResources {
  readonly repositories: readonly Repository[];
  readonly credentialTemplates: readonly Repository[];
  /** Of several with one server the first counts: it is the one that is connected to. */
  readonly clusters: readonly {
    readonly server: string;
    readonly project?: string | undefined;
    /** Its project has it by name alone, which permits nothing. */
    readonly isByName?: boolean | undefined;
    readonly namespaces?: readonly string[] | undefined;
  }[];
}

interface Own {
  readonly sourceRepos: readonly string[];
  readonly destinations: readonly ApplicationDestination[];
}

const nothing: Own = { sourceRepos: [], destinations: [] };

/** By project: settings are walked once, however many applications ask. */
const ofSettings = new WeakMap<
  ScopedResources["repositories"],
  { of: ScopedResources; all: Map<string, Own> }
>();

const made = new WeakMap<AppProject, { own: Own; project: AppProject }>();

/**
 * A project with the repositories and clusters that are its own (field `project` of their Secrets): it need not list
 * them, and what it denies stays denied (util/argo GetAppProjectByName). Beside Argo CD an address is no pattern, and a
 * repository that lives on a password of all projects is listed or not permitted: whoever may add repositories to a
 * project would read with it whatever it opens. The same object as long as nothing of it has changed.
 */
export function withOwnResources(project: AppProject, resources: ScopedResources): AppProject {
  const own = indexed(resources).get(project.metadata.name) ?? nothing;
  if (own === nothing) return project;
  const known = made.get(project);
  if (known && JSON.stringify(known.own) === JSON.stringify(own)) return known.project;
  const { sourceRepos = [], destinations = [] } = project.spec;
  const spec = {
    ...project.spec,
    sourceRepos: [...sourceRepos, ...own.sourceRepos],
    destinations: [...destinations, ...own.destinations],
  };
  const added = { ...project, spec };
  made.set(project, { own, project: added });
  return added;
}

function indexed(resources: ScopedResources): Map<string, Own> {
  const known = ofSettings.get(resources.repositories);
  const isSame =
    known?.of.clusters === resources.clusters &&
    known.of.credentialTemplates === resources.credentialTemplates;
  if (known && isSame) return known.all;
  const all = readOwn(resources);
  ofSettings.set(resources.repositories, { of: resources, all });
  return all;
}

function readOwn(resources: ScopedResources): Map<string, Own> {
  const { repositories, clusters } = resources;
  const all = new Map<string, { sourceRepos: string[]; destinations: ApplicationDestination[] }>();
  const ownOf = (project: string) => {
    const own = all.get(project) ?? { sourceRepos: [], destinations: [] };
    all.set(project, own);
    return own;
  };
  for (const one of repositories) {
    const entry = one.project && !isLent(one, resources) ? entryFor(one) : undefined;
    if (one.project && entry) ownOf(one.project).sourceRepos.push(entry);
  }
  const servers = new Set<string>();
  for (const { server, project, isByName, namespaces } of clusters) {
    const isFirst = !servers.has(server);
    servers.add(server);
    if (!isFirst || !project || isByName || !isLiteral(server)) continue;
    for (const namespace of namespaces?.filter(isLiteral) ?? ["*"])
      ownOf(project).destinations.push({ server, namespace });
  }
  return all;
}

/**
 * Whether what it is read with may be a template's that has no project. Rules of http know no users: a password that is
 * for one user's address counts too, whoever's the repository's own is.
 */
function isLent(repository: Repository, { repositories, credentialTemplates }: ScopedResources): boolean {
  const { url, project } = repository;
  const template = hasCredentials(repository) ? undefined : templateFor(credentialTemplates, url, project);
  if (template && template.project === undefined) return true;
  return [...credentialTemplates, ...repositories].some(
    (one) =>
      one.project === undefined &&
      /^https?:\/\/[^/]*@/i.test(one.url) &&
      fitOfTemplate(withoutUserinfo(one.url), url) !== undefined,
  );
}

/** Lists of projects hold globs and denials; this is neither. */
function isLiteral(text: string): boolean {
  return text !== "" && !/[!*?[\]{}\\]/.test(text);
}
