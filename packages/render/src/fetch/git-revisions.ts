import type { Clock } from "@capstan/flow";
import { CapstanError, type Repository, withoutUserinfo } from "@capstan/model";
import type { ResolvedRevision, RevisionRequest } from "@capstan/wire";
import { freshnessForMissing } from "./freshness.ts";
import type { RemoteListings } from "./remote-listings.ts";
import { isCommit, isTagOf, resolveRevision } from "./resolve-revision.ts";

interface Needs {
  readonly clock: Clock;
  readonly listings: Pick<RemoteListings, "list">;
  /** The whole id of a shortened one, from the objects themselves. */
  findCommit(repository: Repository, prefix: string, signal: AbortSignal): Promise<string | undefined>;
}

/** From names to commits. */
export class GitRevisions {
  readonly #needs: Needs;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  async resolve(request: RevisionRequest, signal: AbortSignal): Promise<ResolvedRevision> {
    const { repository, source } = request;
    const wanted = (request.revision ?? source.targetRevision ?? "").trim();
    if (isCommit(wanted)) return { revision: wanted, ambiguous: wanted };
    const { resolution, askedAt } = await this.lookUp(request, wanted, signal);
    const sha =
      resolution.kind === "short"
        ? await this.#needs.findCommit(repository, resolution.prefix, signal)
        : resolution.kind === "commit" && resolution.sha;
    if (!sha) {
      const facts = { repository: withoutUserinfo(repository.url) };
      const available = resolution.kind === "missing" ? resolution.versions : undefined;
      if (available)
        throw new CapstanError({ code: "VERSION_MISSING", ...facts, constraint: wanted, available });
      throw new CapstanError({ code: "REVISION_MISSING", ...facts, revision: wanted || "HEAD" });
    }
    const isTag = resolution.kind === "commit" && isTagOf(resolution.name, wanted);
    const meaning = isTag ? { meaning: sha } : {};
    return { revision: sha, ambiguous: `${wanted || "HEAD"} (${sha})`, askedAt, ...meaning };
  }

  /** What a kept answer does not know may have been pushed since: then the remote is asked again. */
  async lookUp({ repository, source, ...freshness }: RevisionRequest, wanted: string, signal: AbortSignal) {
    const { clock, listings } = this.#needs;
    const { refs, askedAt } = await listings.list(repository, freshness, signal);
    const resolution = resolveRevision(refs, wanted, source);
    const again = resolution.kind === "missing" ? freshnessForMissing(askedAt, clock.now()) : undefined;
    if (!again) return { refs, resolution, askedAt };
    const newer = await listings.list(repository, again, signal);
    return { ...newer, resolution: resolveRevision(newer.refs, wanted, source) };
  }
}
