import { type Application, healthRank } from "@capstan/model";
import { failedResult } from "../../parts/describe-application.ts";
import { LogView } from "../../parts/logs/log-view.tsx";
import { flatten, type TreeRoot } from "../../parts/tree/tree-items.ts";
import type { AppRef } from "../../paths.ts";
import { resourceKey } from "../../resource-id.ts";
import { changeSearch, useSearch } from "../../url-state.ts";

/** Kinds whose Pods a person wants to read together. */
const workloadKinds = [
  "Deployment",
  "StatefulSet",
  "DaemonSet",
  "Job",
  "CronJob",
  "ReplicaSet",
  "Pod",
  "Rollout",
];

export function LogsTab({ app, appRef, root }: { app: Application; appRef: AppRef; root: TreeRoot }) {
  const search = useSearch();
  const failed = failedResult(app);
  const workloads = flatten(root.items).filter(
    ({ resource, children, health }) =>
      workloadKinds.includes(resource.kind) &&
      health !== "Missing" &&
      (resource.kind !== "ReplicaSet" || children.length > 0),
  );
  const chosen =
    workloads.find(({ key }) => key === search.of) ??
    workloads.find(({ key }) => failed && key === resourceKey(failed)) ??
    workloads.find(({ worst }) => worst < healthRank("Progressing")) ??
    workloads[0];
  if (!chosen) {
    return (
      <section className="empty">
        <h2>No logs</h2>
        <p>Nothing of this application runs in Pods.</p>
      </section>
    );
  }
  const lead = (
    <label className="select-field">
      <span className="dim">Logs of</span>
      <select value={chosen.key} onChange={(event) => changeSearch({ of: event.target.value })}>
        {workloads.map(({ key, resource }) => (
          <option key={key} value={key}>
            {resource.kind} {resource.name}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <div className="logs-tab">
      <LogView appRef={appRef} item={chosen} lead={lead} />
    </div>
  );
}
