import { formatKey } from "@capstan/model";
import type { SyncPlan, SyncTask } from "./sync-plan.ts";

/** The plan as a dry run, the log and the UI show it: one line for each task, in order. */
export function printPlan({ tasks, problems, dryRun, prunes }: SyncPlan): string {
  const lines: string[] = [];
  let heading = "";
  for (const task of tasks) {
    const current = `${task.phase}, wave ${task.wave}`;
    if (current !== heading) lines.push(`${current}:`);
    heading = current;
    lines.push(`  ${describeTask(task).padEnd(8)} ${formatKey(task.key)}${remarks(task)}`);
  }
  if (tasks.length === 0) lines.push("nothing to do");
  for (const { message } of problems) lines.push(`not possible: ${message}`);
  if (prunes.kind === "held") lines.push(`held: ${prunes.message}`);
  if (prunes.kind === "allowed") lines.push(prunes.message);
  if (dryRun) lines.push("dry run: nothing is changed");
  return lines.join("\n");
}

export function describeTask(task: SyncTask): string {
  if (task.act === "prune") return "prune";
  if (task.act === "skip-prune") return "keep";
  if (task.hook !== undefined) return "hook";
  return { create: "create", update: "update", none: "apply" }[task.change];
}

function remarks(task: SyncTask): string {
  if (task.act === "skip-prune") return ` (${task.because})`;
  if (task.act === "prune") return task.needsConfirmation ? " (waits for confirmation)" : "";
  const notes: string[] = [];
  if (task.change === "none" && task.hook === undefined) notes.push("no difference known");
  if (task.mode.method !== "server-side") notes.push(task.mode.method);
  if (task.mode.force) notes.push("force");
  return notes.length === 0 ? "" : ` (${notes.join(", ")})`;
}
