import { equalJson } from "@capstan/formats";
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
  const unreadable = graph.unreadable(app);
  if (unreadable !== undefined) return { kind: "refused", message: unreadable };
  const cycle = graph.cycle(app);
  if (cycle) {
    const names = cycle.map(({ metadata }) => metadata.name).join(" -> ");
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
  return {
    kind: "waiting",
    message: `Waiting for applications that this one depends on: ${waits.join(", ")}`,
  };
}

type Entry = { name: string } | { labels: readonly { key: string; value: string; isEqual: boolean }[] };

/** Names with commas between them, or a selector as app=web,tier!=front; several with ; or line breaks. */
function readEntries(text: string): { entries: (Entry & { text: string })[]; problem?: string } {
  const entries: (Entry & { text: string })[] = [];
  for (const part of text.split(/[;\n]/).map((one) => one.trim())) {
    if (part === "") continue;
    const terms = part.split(",").map((term) => term.trim());
    if (part.includes("=")) {
      const labels = terms.flatMap((term) => {
        const [, key, operator, value = ""] = /^([\w./-]+)\s*(==?|!=)\s*([\w.-]*)$/.exec(term) ?? [];
        return key === undefined ? [] : [{ key, value, isEqual: operator !== "!=" }];
      });
      if (labels.length < terms.length) return { entries, problem: part };
      entries.push({ text: part, labels });
      continue;
    }
    for (const name of terms) {
      if (!/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(name)) return { entries, problem: name };
      entries.push({ text: name, name });
    }
  }
  return { entries };
}

/** The applications of one project, and who depends on whom. */
class Graph {
  readonly #apps: readonly Application[];

  constructor(app: Application, all: Iterable<Application>) {
    const project = projectOf(app);
    this.#apps = [...all].filter((one) => projectOf(one) === project);
  }

  unreadable({ metadata }: Application): string | undefined {
    const { problem } = readEntries(metadata.annotations?.[annotationKeys.dependsOn] ?? "");
    if (problem === undefined) return undefined;
    return `annotation ${annotationKeys.dependsOn}: "${problem}" is neither a name of an application nor a selector such as tier=backend`;
  }

  /** A name means the application itself too, a selector does not. */
  dependencies(app: Application): { found: Application[]; missing: string[] } {
    const { entries } = readEntries(app.metadata.annotations?.[annotationKeys.dependsOn] ?? "");
    const found = new Set<Application>();
    const missing: string[] = [];
    for (const entry of entries) {
      const hits = this.#apps.filter((one) =>
        "name" in entry ? isNamed(one, entry.name, app) : !isSame(one, app) && isSelected(one, entry.labels),
      );
      for (const hit of hits) found.add(hit);
      if (hits.length === 0) missing.push(entry.text);
    }
    return { found: [...found], missing };
  }

  /** A way that leads back to where it began; the shortest. */
  cycle(start: Application): Application[] | undefined {
    const ways: Application[][] = [[start]];
    const seen = new Set<Application>();
    for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
      const last = way.at(-1);
      if (!last) continue;
      for (const next of this.dependencies(last).found) {
        if (isSame(next, start)) return [...way, next];
        if (seen.has(next)) continue;
        seen.add(next);
        ways.push([...way, next]);
      }
    }
    return undefined;
  }
}

function isSame(one: Application, other: Application): boolean {
  return one.metadata.name === other.metadata.name && one.metadata.namespace === other.metadata.namespace;
}

/** In the namespace of who names it: names are unique there alone. */
function isNamed(one: Application, name: string, by: Application): boolean {
  return one.metadata.name === name && one.metadata.namespace === by.metadata.namespace;
}

function isSelected(
  { metadata }: Application,
  labels: readonly { key: string; value: string; isEqual: boolean }[],
): boolean {
  return labels.every(({ key, value, isEqual }) => (metadata.labels?.[key] === value) === isEqual);
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
function isCompared({ spec, status }: Application): boolean {
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
