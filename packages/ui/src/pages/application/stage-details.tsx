import type { ParameterAnnouncement, PluginParameter } from "@capstan/model";
import type { ChangedFile } from "@capstan/wire";
import { Diff } from "../../parts/code/lazy-code.tsx";
import { Anchor } from "../../primitives/anchor.tsx";
import type { Stage, StageChanges } from "./stage-changes.ts";

/** More than these are counted, not shown. */
const mostDiffs = 40;

/** What one stage was given and what it did. */
export function StageDetails({
  changes: { stage, objects, total },
  parameters,
}: {
  changes: StageChanges;
  /** Where they are changed. */
  parameters?: string;
}) {
  const shown = objects.slice(0, mostDiffs);
  return (
    <section className="stage-details" aria-label={`Stage ${stage.name}`}>
      <h2>{stage.name}</h2>
      {stage.sensitive && (
        <p className="note">
          What this stage makes holds secrets. Values are masked; the digest in brackets changes with the
          value.
        </p>
      )}
      <ParameterTable stage={stage} />
      {parameters !== undefined && stage.announced.length > 0 && (
        <p>
          <Anchor href={parameters}>Change parameters</Anchor>
        </p>
      )}
      {stage.commands.length > 0 && (
        <details>
          <summary>{stage.commands.length === 1 ? "1 command" : `${stage.commands.length} commands`}</summary>
          {stage.commands.map((command) => (
            <pre key={command} className="command">
              {command}
            </pre>
          ))}
        </details>
      )}
      {stage.files.map((file) => (
        <FileBox key={file.path} file={file} />
      ))}
      {shown.map(({ key, title, before, after }) => (
        <section className="diff-box" key={key}>
          <h3>
            {title} <span className="dim">{changeWord(before, after)}</span>
          </h3>
          <Diff before={before} after={after} label={title} sideBySide={false} />
        </section>
      ))}
      {objects.length > shown.length && (
        <p className="note dim">
          {objects.length - shown.length} more; all of them with capstan app manifests --diff-stages.
        </p>
      )}
      {objects.length === 0 && stage.files.length === 0 && (
        <p className="note dim">
          It leaves the {total === 1 ? "manifest" : `${total} manifests`} as{" "}
          {total === 1 ? "it is" : "they are"}.
        </p>
      )}
    </section>
  );
}

function changeWord(before: string, after: string): string {
  if (before === "") return "added";
  return after === "" ? "removed" : "changed";
}

function FileBox({ file: { path, change, before, after } }: { file: ChangedFile }) {
  const hasText = before !== undefined || after !== undefined;
  return (
    <section className="diff-box">
      <h3>
        {path} <span className="dim">file {change}</span>
      </h3>
      {hasText && <Diff before={before ?? ""} after={after ?? ""} label={path} sideBySide={false} />}
    </section>
  );
}

function ParameterTable({ stage: { announced, parameters, env } }: { stage: Stage }) {
  const set = new Map(parameters.map((one) => [one.name ?? "", one]));
  const known = new Set(announced.map(({ name }) => name ?? ""));
  const rows = [
    ...announced.map((one) => ({
      name: one.name ?? "",
      title: one.tooltip ?? one.title ?? "",
      announced: one,
    })),
    ...parameters
      .filter(({ name = "" }) => !known.has(name))
      .map(({ name = "" }) => ({ name, title: "", announced: undefined })),
  ];
  if (rows.length === 0 && env.length === 0) return null;
  return (
    <table className="stage-parameters">
      <thead>
        <tr>
          <th scope="col">Parameter</th>
          <th scope="col">Value</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, title, announced: one }) => (
          <tr key={name}>
            <th scope="row">
              {name}
              {one?.required && !set.has(name) && <span className="bad"> must be set</span>}
            </th>
            <td>
              {set.has(name) ? (
                valueText(set.get(name))
              ) : (
                <span className="dim">{valueText(one)} (default)</span>
              )}
            </td>
            <td className="dim">{title}</td>
          </tr>
        ))}
        {env.map(({ name, value }) => (
          <tr key={`env ${name}`}>
            <th scope="row">${name}</th>
            <td>{value}</td>
            <td className="dim">variable</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function valueText(value: PluginParameter | ParameterAnnouncement | undefined): string {
  const entries = Object.entries(value?.map ?? {}).map(([key, text]) => `${key}=${text}`);
  return [value?.string, value?.array?.join(", "), entries.join(", ")].filter(Boolean).join("; ") || "empty";
}
