import type { ApplicationSource } from "@capstan/model";
import { sourceDifferences } from "./source-differences.ts";

/** What of the sources is another one there: parameters, revisions, paths. */
export function SourceChanges(props: {
  before: readonly ApplicationSource[];
  after: readonly ApplicationSource[];
  /** Of the columns of what was and what is. */
  heads?: readonly [string, string];
}) {
  const [was, is] = props.heads ?? ["Now", "Then"];
  const differences = sourceDifferences(props.before, props.after);
  if (differences.length === 0) return null;
  return (
    <table className="data-table source-changes">
      <caption className="visually-hidden">What of the sources differs</caption>
      <thead>
        <tr>
          <th>Of the source</th>
          <th>{was}</th>
          <th>{is}</th>
        </tr>
      </thead>
      <tbody>
        {differences.map(({ field, before, after }) => (
          <tr key={field}>
            <td>
              <code>{field}</code>
            </td>
            <td className="wrap">{before || <span className="dim">not set</span>}</td>
            <td className="wrap">{after || <span className="dim">not set</span>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
