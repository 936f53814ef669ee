import { agoText, timeOf } from "./durations.ts";
import { useNow } from "./now.ts";

export function TimeAgo({ at, otherwise = "–" }: { at: string | null | undefined; otherwise?: string }) {
  const now = useNow();
  const then = timeOf(at);
  if (then === undefined || !at) return <span className="dim">{otherwise}</span>;
  return (
    <time dateTime={at} title={new Date(then).toLocaleString()}>
      {agoText(then, now)}
    </time>
  );
}
