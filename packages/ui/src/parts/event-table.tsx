import type { KubeEvent, KubeEventList } from "@capstan/wire";
import { timeOf } from "../primitives/durations.ts";
import { Glyph } from "../primitives/glyph.tsx";
import { MiddleCut } from "../primitives/middle-cut.tsx";
import { Problem } from "../primitives/problem.tsx";
import { SkeletonRows } from "../primitives/skeleton.tsx";
import { TimeAgo } from "../primitives/time-ago.tsx";

interface Props {
  query: { data: KubeEventList | undefined; error: Error | null; isPending: boolean };
  about: string;
}

function lastTime(event: KubeEvent): string | undefined {
  return event.lastTimestamp ?? event.eventTime ?? event.firstTimestamp ?? event.metadata.creationTimestamp;
}

export function EventTable({ query, about }: Props) {
  if (query.error) return <Problem title={`The events of ${about} cannot be read`} failure={query.error} />;
  if (query.isPending) return <SkeletonRows rows={6} />;
  const events = [...(query.data?.items ?? [])].sort(
    (left, right) =>
      (timeOf(lastTime(right)) ?? 0) - (timeOf(lastTime(left)) ?? 0) ||
      // Times are whole seconds; names end in a finer one (client-go tools/events).
      right.metadata.name.localeCompare(left.metadata.name),
  );
  if (events.length === 0) {
    return (
      <section className="empty">
        <h2>No events</h2>
        <p>Clusters keep events for about an hour.</p>
      </section>
    );
  }
  return (
    <table className="data-table events">
      <thead>
        <tr>
          <th>When</th>
          <th>Reason</th>
          <th>Object</th>
          <th>Message</th>
          <th>Times</th>
        </tr>
      </thead>
      <tbody>
        {events.map((event) => (
          <tr key={event.metadata.uid ?? event.metadata.name}>
            <td className="dim nowrap">
              <TimeAgo at={lastTime(event)} />
            </td>
            <td className="nowrap">
              {event.type === "Warning" && <Glyph name="cross" tone="warn" label="Warning" />} {event.reason}
            </td>
            <td className="object dim">
              {event.involvedObject?.kind} <MiddleCut text={event.involvedObject?.name ?? ""} />
            </td>
            <td className="wrap">{event.message}</td>
            <td className="number">{event.count ?? 1}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
