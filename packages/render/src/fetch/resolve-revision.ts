import { highestAllowed, parseConstraint, parseVersion } from "@capstan/formats";
import type { ApplicationSource } from "@capstan/model";
import type { RemoteRefs } from "./remote-refs.ts";

/** What a revision means among the refs of a remote. */
export type Resolution =
  /** `name`: the whole ref, or the commit itself. */
  | { kind: "commit"; sha: string; name: string }
  /** Seven or more digits of a commit: only the objects themselves can tell. */
  | { kind: "short"; prefix: string }
  /** `versions`: of the tags, where a constraint allows none of them. */
  | { kind: "missing"; versions?: readonly string[] };

/** Argo CD's order (util/git resolveRevision): commit, version constraint over tags, ref name, shortened commit. */
export function resolveRevision(
  refs: RemoteRefs,
  revision: string,
  source: Pick<ApplicationSource, "tagPrefix">,
): Resolution {
  if (isCommit(revision)) return { kind: "commit", sha: revision, name: revision };
  const tags = readTags(refs, revision, source.tagPrefix ?? "");
  const name = tags?.best ?? (revision === "" ? "HEAD" : revision);
  const found = findRef(refs, name);
  if (found !== undefined) return { kind: "commit", ...found };
  return /^[0-9a-f]{7,39}$/.test(name) ? { kind: "short", prefix: name } : missing(tags?.versions);
}

function missing(versions: readonly string[] | undefined): Resolution {
  return { kind: "missing", ...(versions === undefined ? {} : { versions }) };
}

export function isCommit(revision: string): boolean {
  return /^[0-9a-f]{40}$/.test(revision);
}

/** Whether it was a tag's own name, and no constraint, that led to a ref. */
export function isTagOf(ref: string, wanted: string): boolean {
  return (
    ref.startsWith("refs/tags/") && ["", "refs/tags/", "refs/"].some((before) => before + wanted === ref)
  );
}

/** A full version is a pin and names its tag; only constraints choose among tags (util/versions MaxVersion). */
function readTags(
  refs: RemoteRefs,
  revision: string,
  prefix: string,
): { best?: string; versions: string[] } | undefined {
  const constraint = parseVersion(revision) ? undefined : parseConstraint(revision);
  if (!constraint) return undefined;
  const versions: string[] = [];
  for (const name of refs.commits.keys())
    if (name.startsWith(`refs/tags/${prefix}`)) versions.push(name.slice(`refs/tags/${prefix}`.length));
  const best = highestAllowed(versions, constraint);
  return { versions, ...(best === undefined ? {} : { best: `refs/tags/${prefix}${best}` }) };
}

function findRef(refs: RemoteRefs, given: string): { sha: string; name: string } | undefined {
  for (const name of [
    given,
    `refs/heads/${given}`,
    `refs/tags/${given}`,
    `refs/remotes/${given}`,
    `refs/${given}`,
  ]) {
    const sha = refs.commits.get(name);
    if (sha !== undefined) return { sha, name };
  }
  return undefined;
}
