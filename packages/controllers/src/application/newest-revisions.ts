import { canonicalJson } from "@capstan/formats";
import type { ApplicationSource } from "@capstan/model";

interface Newest {
  revision: string;
  askedAt: number;
  /** What each application that follows it is at. */
  readonly at: Map<string, string>;
}

interface Seen {
  /** Decides with others which credentials are used. */
  project: string;
  sources: readonly ApplicationSource[];
  revisions: readonly string[];
  /** When the remote of each was asked; undefined where there was nothing to ask. */
  askedAt: readonly (number | undefined)[];
}

/**
 * What the applications that follow one branch of one repository are at. The remote is asked once for all of them;
 * when the answer is a new commit, those that had the former answer learn of it here and not at their own next turn.
 */
export class NewestRevisions {
  readonly #newest = new Map<string, Newest>();
  readonly #followed = new Map<string, readonly string[]>();

  /** Takes in what an application resolved its sources to; the result are those that are behind, with the time since when. */
  saw(app: string, { project, sources, revisions, askedAt: times }: Seen): Map<string, number> {
    const ids = sources.map((source) => idOf(project, source));
    this.#follow(app, ids);
    const behind = new Map<string, number>();
    for (const [index, id] of ids.entries()) {
      const revision = revisions[index];
      const askedAt = times[index];
      if (revision === undefined || askedAt === undefined) continue;
      const newest = this.#newest.get(id) ?? { revision, askedAt, at: new Map<string, string>() };
      this.#newest.set(id, newest);
      newest.at.set(app, revision);
      if (revision === newest.revision) continue;
      if (askedAt < newest.askedAt) {
        behind.set(app, newest.askedAt);
        continue;
      }
      newest.revision = revision;
      newest.askedAt = askedAt;
      for (const [other, its] of newest.at) if (its !== revision) behind.set(other, askedAt);
    }
    return behind;
  }

  forget(app: string): void {
    this.#follow(app, []);
  }

  #follow(app: string, ids: readonly string[]): void {
    for (const id of this.#followed.get(app) ?? []) {
      if (ids.includes(id)) continue;
      const newest = this.#newest.get(id);
      newest?.at.delete(app);
      if (newest?.at.size === 0) this.#newest.delete(id);
    }
    if (ids.length === 0) this.#followed.delete(app);
    else this.#followed.set(app, ids);
  }
}

function idOf(project: string, { repoURL, chart = "", targetRevision = "" }: ApplicationSource): string {
  return canonicalJson([project, repoURL, chart, targetRevision]);
}
