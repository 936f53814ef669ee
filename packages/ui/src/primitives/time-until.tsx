import { useEffect, useState } from "react";
import { spanText, timeOf } from "./durations.ts";

/** "in 12 s", counted down; "now" once it has come. */
export function TimeUntil({ at }: { at: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const then = timeOf(at);
  if (then === undefined) return null;
  const left = Math.ceil((then - now) / 1_000) * 1_000;
  return (
    <time dateTime={at} title={new Date(then).toLocaleString()}>
      {left > 0 ? `in ${left < 60_000 ? `${left / 1_000} s` : spanText(left)}` : "now"}
    </time>
  );
}
