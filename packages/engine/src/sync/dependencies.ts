import { equalJson, type Labels, parseLabelSelector, SelectorError } from "@capstan/formats";
import {
  type Application,
  annotationKeys,
  comparedRevisions,
  hasMultipleSources,
  isSameRepository,
  projectOf,
  sourcesOf,
} from "@capstan/model";

/** What a sync waits for, or why it can never begin. */
export type DependencyHold =
  | { readonly kind: "waiting"; readonly message: string }
  | { readonly kind: "refused"; readonly message: string };

/**
 * What an application's annotation `depends-on` holds its sync for: other applications of its project, by names or
 * labels, until they are Synced and Healthy with what they want now. Those of other projects are as if they were
 * not there.
 */
export function findDependencyHold(app: Application, all: Iterable<Application>): DependencyHold | undefined {
  if (app.metadata.annotations?.[annotationKeys.dependsOn] === undefined) return undefined;
  const graph = new Graph(app, all);
  const problem = readEntries(app).problem;
  if (problem !== undefined)
    return { kind: "refused", message: `annotation ${annotationKeys.dependsOn}: ${problem}` };
  const cycle = graph.cycle(app);
  if (graph.isExhausted) {
    const message = `annotation ${annotationKeys.dependsOn}: leads to more applications and selectors than are looked at`;
    return { kind: "refused", message };
  }
  if (cycle) {
    const names = namesOfCycle(cycle);
    return { kind: "refused", message: `Applications depend on each other, and none can begin: ${names}` };
  }
  const { found, missing } = graph.dependencies(app);
  const waits = [
    ...missing.map((entry) => `${entry} (there is none in project ${projectOf(app)})`),
    ...found.flatMap((one) => {
      const lack = lackOf(one, app);
      return lack === undefined ? [] : [`${one.metadata.name} (${lack})`];
    }),
  ];
  if (waits.length === 0) return undefined;
  const more = waits.length > maxListed ? ` and ${waits.length - maxListed} more` : "";
  return {
    kind: "waiting",
    message: `Waiting for applications that this one depends on: ${waits.slice(0, maxListed).join(", ")}${more}`,
  };
}

/** A status holds these messages, and selectors may mean thousands. */
const maxListed = 10;

function namesOfCycle(cycle: readonly Application[]): string {
  const names = cycle.map(({ metadata }) => metadata.name);
  const shown = names.length > maxListed ? [...names.slice(0, maxListed - 1), "…", names.at(-1)] : names;
  return shown.join(" -> ");
}

interface Entry {
  readonly text: string;
  readonly isSelector: boolean;
}

/** Every application of the project that is come by is read, in each look: a person writes less. */
const longestText = 10_000;

/** Names with commas between them, or a selector as app=web,tier!=front; several with ; or line breaks. */
function readEntries({ metadata }: Application): { entries: readonly Entry[]; problem?: string } {
  const text = metadata.annotations?.[annotationKeys.dependsOn] ?? "";
  if (text.length > longestText) return { entries: [], problem: `is longer than ${longestText} characters` };
  const entries: Entry[] = [];
  for (const part of text.split(/[;\n]/).map((one) => one.trim())) {
    if (part === "") continue;
    const isSelector = /[=!<>()]/.test(part);
    for (const one of isSelector ? [part] : part.split(",").map((name) => name.trim())) {
      if (isSelector ? !readSelector(one) : !/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(one))
        return { entries, problem: unreadable(one) };
      entries.push({ text: one, isSelector });
    }
  }
  return { entries };
}

function unreadable(text: string): string {
  return `"${text.slice(0, 100)}" is neither a name of an application nor a selector such as tier=backend`;
}

/** A label's key alone is refused: beside others it may as well be meant as a name. */
function readSelector(text: string): ((labels: Labels) => boolean) | undefined {
  const terms = text.replace(/\([^()]*\)/g, "()").split(",");
  if (terms.some((term) => /^\s*[\w./-]+\s*$/.test(term))) return undefined;
  try {
    return parseLabelSelector(text);
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}

/** Entries and labels looked at for one answer: whoever writes a project's applications decides how many there are. */
const mostLooks = 1_000_000;

/** The applications of one project, and who depends on whom. */
class Graph {
  readonly #apps: readonly Application[];
  readonly #named: ReadonlyMap<string, Application>;
  readonly #selected = new Map<string, readonly Application[]>();
  #looks = 0;

  constructor(app: Application, all: Iterable<Application>) {
    const project = projectOf(app);
    this.#apps = [...all].filter((one) => projectOf(one) === project);
    this.#named = new Map(this.#apps.map((one) => [refOf(one, one.metadata.name), one]));
  }

  /** What it answered may lack something. */
  get isExhausted(): boolean {
    return this.#looks > mostLooks;
  }

  /** A name means the application itself too, a selector does not. */
  dependencies(app: Application): { found: Application[]; missing: string[] } {
    const found = new Set<Application>();
    const missing: string[] = [];
    const { entries } = readEntries(app);
    this.#looks += entries.length;
    for (const { text, isSelector } of entries) {
      const hits = isSelector
        ? this.#selectedBy(text).filter((one) => !isSame(one, app))
        : this.#namedBy(refOf(app, text));
      for (const hit of hits) found.add(hit);
      if (hits.length === 0) missing.push(text);
    }
    return { found: [...found], missing };
  }

  /** A way that leads back to where it began; the shortest. */
  cycle(start: Application): Application[] | undefined {
    const before = new Map<Application, Application | undefined>([[start, undefined]]);
    // A map's keys are gone through in their order, those that come meanwhile too.
    for (const last of before.keys()) {
      if (this.isExhausted) return undefined;
      for (const next of this.dependencies(last).found) {
        if (isSame(next, start)) return [...wayTo(last, before), next];
        if (!before.has(next)) before.set(next, last);
      }
    }
    return undefined;
  }

  #namedBy(ref: string): readonly Application[] {
    const named = this.#named.get(ref);
    return named ? [named] : [];
  }

  #selectedBy(text: string): readonly Application[] {
    const known = this.#selected.get(text);
    this.#looks += (known ?? this.#apps).length;
    if (known) return known;
    const selects = this.isExhausted ? undefined : readSelector(text);
    const hits = selects ? this.#apps.filter(({ metadata }) => selects(metadata.labels ?? {})) : [];
    this.#selected.set(text, hits);
    return hits;
  }
}

function wayTo(
  end: Application,
  before: ReadonlyMap<Application, Application | undefined>,
): readonly Application[] {
  const way: Application[] = [];
  for (let at: Application | undefined = end; at !== undefined; at = before.get(at)) way.push(at);
  return way.reverse();
}

/** In the namespace of who names it: names are unique there alone. */
function refOf({ metadata }: Application, name: string): string {
  return `${metadata.namespace ?? ""}/${name}`;
}

function isSame(one: Application, other: Application): boolean {
  return one.metadata.name === other.metadata.name && one.metadata.namespace === other.metadata.namespace;
}

/** What an application lacks for others to begin; undefined: nothing. */
function lackOf(one: Application, app: Application): string | undefined {
  const { status, metadata } = one;
  if (metadata.deletionTimestamp !== undefined) return "it is being deleted";
  const phase = status?.operationState?.phase;
  if (one.operation !== undefined || phase === "Running" || phase === "Terminating")
    return "it is being synced";
  if (status?.sync?.status !== "Synced") return `it is ${status?.sync?.status ?? "not compared yet"}`;
  if (status.health?.status !== "Healthy") return `it is ${status.health?.status ?? "without health"}`;
  return isCompared(one) && !isBehind(one, app) ? undefined : "it has not looked at what it wants now";
}

/** The comparison is about the sources that the specification names now. */
export function isCompared({ spec, status }: Application): boolean {
  const about = status?.sync?.comparedTo;
  if (about === undefined) return false;
  return hasMultipleSources(spec)
    ? equalJson(about.sources, spec.sources)
    : equalJson(about.source, spec.source);
}

/** Both follow the same branch, and they have seen different commits of it. */
function isBehind(one: Application, app: Application): boolean {
  const theirs = comparedRevisions(one);
  const ours = comparedRevisions(app);
  return sourcesOf(one).some((source, index) =>
    sourcesOf(app).some(
      (own, at) =>
        isSameRepository(own.repoURL, source.repoURL) &&
        (own.targetRevision || "HEAD") === (source.targetRevision || "HEAD") &&
        own.chart === source.chart &&
        ours[at] !== theirs[index],
    ),
  );
}
