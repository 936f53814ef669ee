import { parseLabelSelector, SelectorError, withoutEndSlashes } from "@capstan/formats";
import {
  type Application,
  CapstanError,
  destinationCluster,
  healthOrder,
  isAutomated,
  projectOf,
  searchTextOf,
  sourcesOf,
  syncOrder,
  wordSearch,
} from "@capstan/model";

export interface ApplicationQuery {
  readonly name?: string | undefined;
  readonly project?: readonly string[] | undefined;
  readonly projects?: readonly string[] | undefined;
  readonly selector?: string | undefined;
  readonly repo?: string | undefined;
  readonly appNamespace?: string | undefined;
  /** Words; the application has each of them somewhere (`searchTextOf`). */
  readonly search?: string | undefined;
  /** Of the destination: names, or addresses with or without their scheme. */
  readonly cluster?: readonly string[] | undefined;
  /** Of the destination. */
  readonly namespace?: readonly string[] | undefined;
  readonly sync?: readonly string[] | undefined;
  readonly health?: readonly string[] | undefined;
  readonly autoSync?: boolean | undefined;
}

/** All that tells one list from another, but its order, its page and its fields. */
export function ownQuestion(query: ApplicationQuery): unknown {
  const { name, project, projects, selector, repo, appNamespace, autoSync } = query;
  const { search, cluster, namespace, sync, health } = query;
  const texts = [name, selector, repo, appNamespace, search].map((text) => text ?? "");
  return [...texts, autoSync ?? "", project, projects, cluster, namespace, sync, health];
}

type Test = (app: Application) => boolean;

/** Whether an application is what is asked for. Throws INVALID_ARGUMENT. */
export function matchesQuery(query: ApplicationQuery): Test {
  const tests = [...argoTests(query), ...ownTests(query)];
  return (app) => tests.every((test) => test(app));
}

/** What Argo CD's clients ask by (server/application/application.go List). */
function argoTests(query: ApplicationQuery): Test[] {
  const tests: Test[] = [];
  const { name, appNamespace, selector } = query;
  if (name) tests.push(({ metadata }) => metadata.name === name);
  if (appNamespace) tests.push(({ metadata }) => metadata.namespace === appNamespace);
  const projects = new Set([...(query.project ?? []), ...(query.projects ?? [])]);
  if (projects.size > 0) tests.push((app) => projects.has(projectOf(app)));
  const repo = query.repo && trimUrl(query.repo);
  if (repo) tests.push((app) => sourcesOf(app).some(({ repoURL }) => trimUrl(repoURL) === repo));
  if (selector) {
    const hasLabels = readSelector(selector);
    tests.push(({ metadata }) => hasLabels(metadata.labels ?? {}));
  }
  return tests;
}

function ownTests({ autoSync, ...query }: ApplicationQuery): Test[] {
  const tests: Test[] = [];
  const oneOf = (values: readonly string[] | undefined, read: (app: Application) => string): void => {
    if (!values || values.length === 0) return;
    const wanted = new Set(values);
    tests.push((app) => wanted.has(read(app)));
  };
  oneOf(readStates("health", query.health, healthOrder), ({ status }) => status?.health?.status ?? "Unknown");
  oneOf(readStates("sync", query.sync, syncOrder), ({ status }) => status?.sync?.status ?? "Unknown");
  oneOf(query.namespace, ({ spec }) => spec.destination.namespace ?? "");
  if (autoSync !== undefined) tests.push((app) => isAutomated(app) === autoSync);
  if (query.cluster && query.cluster.length > 0) tests.push(isTo(query.cluster));
  if (query.search) {
    const isFound = wordSearch(readSearch(query.search));
    tests.push((app) => isFound(searchTextOf(app)));
  }
  return tests;
}

function isTo(clusters: readonly string[]): Test {
  const wanted = new Set(clusters.map(withoutEndSlashes));
  return (app) =>
    wanted.has(destinationCluster(app)) || wanted.has(withoutEndSlashes(app.spec.destination.server ?? ""));
}

function readStates(
  field: string,
  given: readonly string[] | undefined,
  states: readonly string[],
): readonly string[] | undefined {
  const strange = given?.find((state) => !states.includes(state));
  if (strange === undefined) return given;
  const problem = `"${strange.slice(0, 100)}" is none of ${states.join(", ")}`;
  throw new CapstanError({ code: "INVALID_ARGUMENT", field, problem });
}

const longestSearch = 512;

function readSearch(text: string): string {
  if (text.length <= longestSearch) return text;
  const problem = `is longer than ${longestSearch} characters`;
  throw new CapstanError({ code: "INVALID_ARGUMENT", field: "search", problem });
}

const longestSelector = 8192;

export function readSelector(text: string): ReturnType<typeof parseLabelSelector> {
  const refused = (problem: string) =>
    new CapstanError({ code: "INVALID_ARGUMENT", field: "selector", problem });
  if (text.length > longestSelector) throw refused(`is longer than ${longestSelector} characters`);
  try {
    return parseLabelSelector(text);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    const example = "a selector is written as team=web, team!=web, team in (a,b) or !team";
    throw refused(`${error.message}; ${example}`);
  }
}

function trimUrl(url: string): string {
  return withoutEndSlashes(url.trim().toLowerCase()).replace(/\.git$/, "");
}
