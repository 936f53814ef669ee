import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import type { LogLine } from "../../queries/logs.ts";

interface Props {
  lines: readonly LogLine[];
  dropped: number;
  showPods: boolean;
  wrap: boolean;
  follow: boolean;
  highlight: string;
  label: string;
}

const lineHeight = 19;

export function LogLines({ lines, dropped, showPods, wrap, follow, highlight, label }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    overscan: 30,
  });
  useEffect(() => {
    if (follow && atEnd.current && lines.length > 0)
      virtual.scrollToIndex(lines.length - 1, { align: "end" });
  }, [lines.length, follow, virtual]);
  const onScroll = () => {
    const element = scroller.current;
    if (element) atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 40;
  };
  return (
    <section
      className={wrap ? "log wrap" : "log"}
      ref={scroller}
      onScroll={onScroll}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
    >
      {dropped > 0 && <p className="dim log-dropped">{dropped} earlier lines are not shown</p>}
      <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const line = lines[index];
          if (!line) return null;
          return (
            <div
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              className="log-line"
              style={{ transform: `translateY(${start}px)` }}
            >
              <time title={line.time}>{localTime(line.time)}</time>
              {showPods && <span className="log-pod">{line.pod.slice(-5)}</span>}
              <span className="log-text">{marked(line.text, highlight)}</span>
            </div>
          );
        })}
      </div>
    </section>
  );
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** As the clock beside the screen has it; the log's own time is in the title. */
function localTime(time: string): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? time.slice(11, 19) : clock.format(at);
}

/** "UTC+01:00", at this time of the year. */
export function zoneMark(): string {
  const minutes = -new Date().getTimezoneOffset();
  const two = (number: number) => String(number).padStart(2, "0");
  const ahead = Math.abs(minutes);
  return minutes === 0
    ? "UTC"
    : `UTC${minutes < 0 ? "−" : "+"}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`;
}

function marked(text: string, wanted: string) {
  if (wanted === "") return text;
  const at = text.toLowerCase().indexOf(wanted.toLowerCase());
  if (at < 0) return text;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + wanted.length)}</mark>
      {text.slice(at + wanted.length)}
    </>
  );
}
