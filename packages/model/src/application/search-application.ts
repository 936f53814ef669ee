import { inClusterName, inClusterServer } from "../annotations.ts";
import type { Application } from "./application.ts";
import { comparedRevisions, projectOf, sourcesOf } from "./read-application.ts";

/** The cluster of an application's destination as people call it: its name, else its address without the scheme. */
export function destinationCluster({ spec }: Application): string {
  const { name, server = "" } = spec.destination;
  if (name) return name;
  return server === inClusterServer ? inClusterName : server.replace(/^https?:\/\//, "");
}

/** Whoever writes an Application decides how long its text is, and everybody's search goes over it. */
const longestText = 16_384;

const texts = new WeakMap<Application, string>();

/**
 * All that an application is found by, in small letters, a line each: name, namespace, project, destination, labels as
 * `key=value`, and of each source its repository, path, chart and revisions. Made once for each version of it, and no
 * longer than 16,384 characters.
 */
export function searchTextOf(app: Application): string {
  const known = texts.get(app);
  if (known !== undefined) return known;
  const { metadata, spec } = app;
  const lines = [
    metadata.name,
    metadata.namespace,
    projectOf(app),
    destinationCluster(app),
    spec.destination.server,
    spec.destination.namespace,
    ...Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`),
    ...sourcesOf(app).flatMap(({ repoURL, path, chart, targetRevision }) => [
      repoURL,
      path,
      chart,
      targetRevision,
    ]),
    ...comparedRevisions(app),
  ];
  const text = lines.filter(Boolean).join("\n").slice(0, longestText).toLowerCase();
  texts.set(app, text);
  return text;
}

/** Whether what `searchTextOf` gives has all words of a text; one without words is in everything. Capitals do not count. */
export function wordSearch(text: string): (searched: string) => boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return (searched) => words.every((word) => searched.includes(word));
}
