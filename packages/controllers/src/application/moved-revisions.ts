import {
  type Application,
  type ApplicationSource,
  type RevisionHistory,
  withoutUserinfo,
} from "@capstan/model";
import type { Desired } from "@capstan/planning";

type Known = Pick<Desired, "sources" | "revisions" | "meanings">;

/**
 * What the names of an operation's sources stand for: an operation names commits where the comparison before it had
 * the tags.
 */
export function meaningsOf(own: Known, compared: Known | undefined): (string | undefined)[] {
  return own.sources.map((source, index) => {
    const meaning = own.meanings[index];
    if (meaning !== undefined || !compared) return meaning;
    const before = compared.sources[index];
    const isSame =
      before !== undefined &&
      nameOf(before, compared.revisions[index]) === nameOf(source, own.revisions[index]) &&
      compared.revisions[index] === own.revisions[index];
    return isSame ? compared.meanings[index] : undefined;
  });
}

/** Of each tag and chart's version that means something else than at its last deployment, a sentence. */
export function movedRevisions({ status }: Pick<Application, "status">, now: Known): string[] {
  const history = [...(status?.history ?? [])].reverse();
  return now.sources.flatMap((source, index) => {
    const meaning = now.meanings[index];
    const name = nameOf(source, now.revisions[index]);
    if (meaning === undefined) return [];
    for (const entry of history) {
      const before = meaningIn(entry, name);
      if (before === meaning) return [];
      if (before !== undefined)
        return [sentence(source, now.revisions[index] ?? "", { entry, before, meaning })];
    }
    return [];
  });
}

function meaningIn(entry: RevisionHistory, name: string): string | undefined {
  const sources = entry.sources ?? [entry.source ?? []].flat();
  const revisions = entry.revisions ?? [entry.revision ?? ""];
  const index = sources.findIndex(
    (source, at) => entry.meanings?.[at] && nameOf(source, revisions[at]) === name,
  );
  return index < 0 ? undefined : entry.meanings?.[index];
}

/** Of a chart its version counts, which a constraint may have chosen; else the name as it is written. */
function nameOf({ repoURL, chart, targetRevision }: ApplicationSource, revision: string | undefined): string {
  return JSON.stringify([repoURL, chart ?? "", chart ? (revision ?? "") : (targetRevision ?? "").trim()]);
}

function sentence(
  { repoURL, chart, targetRevision }: ApplicationSource,
  revision: string,
  { entry, before, meaning }: { entry: RevisionHistory; before: string; meaning: string },
): string {
  const what = chart ? `version ${revision} of chart ${chart}` : `tag ${targetRevision}`;
  const then = `when it was deployed at ${entry.deployedAt} (history ${entry.id})`;
  return `${what} of ${withoutUserinfo(repoURL)} was ${before} ${then}, and is ${meaning} now: it was moved, or published anew`;
}
