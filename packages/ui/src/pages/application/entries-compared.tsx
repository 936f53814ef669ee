import { shortRevision } from "../../parts/application-facts.ts";
import { compareLink } from "../../parts/provider-links.ts";
import { SourceChanges } from "../../parts/sync/source-changes.tsx";
import { sourceDifferences } from "../../parts/sync/source-differences.ts";
import type { HistoryEntry } from "./history-entries.ts";

/** What differs between any two of the history: sources with their parameters, images, and the commits in between. */
export function EntriesCompared({ chosen }: { chosen: readonly HistoryEntry[] }) {
  const [older, newer] = [...chosen].sort(
    (left, right) => Date.parse(left.finishedAt) - Date.parse(right.finishedAt),
  );
  if (!older) return null;
  if (!newer)
    return <p className="dim">Choose a second one to compare with {shortRevision(older.revision)}.</p>;
  const repository = newer.sources[0]?.repoURL ?? "";
  const link =
    older.sources[0]?.repoURL === repository && compareLink(repository, older.revision, newer.revision);
  const isSame = sourceDifferences(older.sources, newer.sources).length === 0;
  const which = older.revision === newer.revision ? "The same revision" : "Another revision";
  return (
    <section className="operation" aria-label="Comparison">
      <h3>
        {shortRevision(older.revision)} → {shortRevision(newer.revision)}
      </h3>
      {link && (
        <p>
          <a href={link} target="_blank" rel="noreferrer">
            The commits in between, at their provider
          </a>
        </p>
      )}
      <SourceChanges before={older.sources} after={newer.sources} heads={["Then", "Later"]} />
      {isSame && <p className="dim">{which} of the same sources, with the same parameters.</p>}
    </section>
  );
}
