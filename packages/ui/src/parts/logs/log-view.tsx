import { type ReactNode, useMemo, useState } from "react";
import type { AppRef } from "../../paths.ts";
import { Problem } from "../../primitives/problem.tsx";
import { type LogLine, type LogQuery, useLogs } from "../../queries/logs.ts";
import { resourceTitle } from "../../resource-id.ts";
import { changeSearch, useSearch } from "../../url-state.ts";
import { ContainerChoice } from "../containers/container-choice.tsx";
import { useContainers } from "../containers/use-containers.ts";
import type { TreeItem } from "../tree/tree-items.ts";
import { LogLines, zoneMark } from "./log-lines.tsx";

const spans = [
  { label: "all", seconds: 0 },
  { label: "5 min", seconds: 300 },
  { label: "1 h", seconds: 3600 },
  { label: "1 d", seconds: 86_400 },
] as const;

const tailLines = 2000;

function matching(lines: readonly LogLine[], text: string): readonly LogLine[] {
  if (text === "") return lines;
  const wanted = text.toLowerCase();
  return lines.filter((line) => line.text.toLowerCase().includes(wanted));
}

interface Props {
  appRef: AppRef;
  item: TreeItem;
  /** Stands before the other tools. */
  lead?: ReactNode;
}

export function LogView({ appRef, item, lead }: Props) {
  const search = useSearch();
  const query: LogQuery = {
    container: search.container ?? "",
    previous: search.previous === "1",
    sinceSeconds: Number(search.since ?? 0) || 0,
    tail: tailLines,
    follow: search.follow !== "0",
  };
  const logs = useLogs(appRef, item.resource, query);
  const [text, setText] = useState("");
  const lines = useMemo(() => matching(logs.lines, text), [logs.lines, text]);
  const severalPods = useMemo(() => new Set(logs.lines.map(({ pod }) => pod)).size > 1, [logs.lines]);
  const title = resourceTitle(item.resource);
  return (
    <div className="log-view">
      <LogTools {...{ appRef, item, lead, query, text, setText }} lines={logs.lines} shown={lines.length} />
      {logs.lost && (
        <p className="note dim" role="status">
          The log was lost; it goes on from its last line as soon as the server answers.
        </p>
      )}
      {logs.failure !== undefined && (
        <Problem title={`The log of ${title} cannot be read`} failure={logs.failure} />
      )}
      {logs.ended && lines.length === 0 && logs.failure === undefined ? (
        <p className="note dim">{text ? `No line holds “${text}”.` : "The log is empty."}</p>
      ) : (
        <LogLines
          lines={lines}
          dropped={logs.dropped}
          showPods={severalPods}
          wrap={search.wrap === "1"}
          follow={query.follow}
          highlight={text}
          label={`Log of ${title}`}
        />
      )}
    </div>
  );
}

interface ToolsProps {
  appRef: AppRef;
  item: TreeItem;
  lead: ReactNode;
  query: LogQuery;
  lines: readonly LogLine[];
  shown: number;
  text: string;
  setText(text: string): void;
}

function LogTools({ appRef, item, lead, query, lines, shown, text, setText }: ToolsProps) {
  const search = useSearch();
  const known = useContainers(appRef, item);
  const names = [...(known?.containers ?? []), ...(known?.initContainers ?? [])];
  return (
    <div className="tools">
      {lead}
      <label className="search-field small">
        <span className="visually-hidden">Find in the log</span>
        <input
          type="search"
          placeholder="Find"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      {text && <span className="dim">{shown} lines</span>}
      <ContainerChoice
        names={names}
        value={query.container}
        onChange={(container) => changeSearch({ container })}
      />
      <Since seconds={query.sinceSeconds} set={(since) => changeSearch({ since })} />
      <Check label="Follow" on={query.follow} set={(on) => changeSearch({ follow: on ? undefined : "0" })} />
      <Check
        label="Wrap"
        on={search.wrap === "1"}
        set={(on) => changeSearch({ wrap: on ? "1" : undefined })}
      />
      <Check
        label="Previous"
        on={query.previous}
        set={(on) => changeSearch({ previous: on ? "1" : undefined })}
      />
      <span
        className="dim"
        title="Times are those of this machine; the log's own are in their titles and in the download"
      >
        local time, {zoneMark()}
      </span>
      <button type="button" className="button" onClick={() => download(item, lines)}>
        Download
      </button>
    </div>
  );
}

function Since({ seconds, set }: { seconds: number; set(since: string | undefined): void }) {
  return (
    <select
      aria-label="Since"
      value={seconds}
      onChange={(event) => set(event.target.value === "0" ? undefined : event.target.value)}
    >
      {spans.map((span) => (
        <option key={span.seconds} value={span.seconds}>
          since: {span.label}
        </option>
      ))}
    </select>
  );
}

function Check({ label, on, set }: { label: string; on: boolean; set(on: boolean): void }) {
  return (
    <label className="check">
      <input type="checkbox" checked={on} onChange={(event) => set(event.target.checked)} />
      <span>{label}</span>
    </label>
  );
}

function download(item: TreeItem, lines: readonly LogLine[]): void {
  const text = lines.map(({ time, pod, text: line }) => `${time} ${pod} ${line}\n`).join("");
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${item.resource.kind.toLowerCase()}-${item.resource.name}.log`;
  link.click();
  URL.revokeObjectURL(url);
}
