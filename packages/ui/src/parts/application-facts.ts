import type { Application, ApplicationSource, RevisionHistory } from "@capstan/model";

export function sourcesOf(app: Application): readonly ApplicationSource[] {
  const { source, sources } = app.spec;
  if (sources && sources.length > 0) return sources;
  return source ? [source] : [];
}

/** What a deployment of the history was made from. */
export function deployedSources({ source, sources }: RevisionHistory): readonly ApplicationSource[] {
  if (sources && sources.length > 0) return sources;
  return source ? [source] : [];
}

/** A commit in short; anything else (a chart's version, a tag) as it is. */
export function shortRevision(revision: string): string {
  return /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(revision) ? revision.slice(0, 7) : revision;
}

/** The ApplicationSet that made it, which also changes it back. */
export function setOf(app: Application): string | undefined {
  return app.metadata.ownerReferences?.find(({ kind }) => kind === "ApplicationSet")?.name;
}

export function objectCount(count: number): string {
  return count === 1 ? "1 object" : `${count} objects`;
}
