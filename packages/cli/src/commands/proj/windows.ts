import type { AppProject, SyncWindow } from "@capstan/model";
import { type Command, ExitError, UsageError } from "../../command.ts";
import { defineProjectChange, withSpec } from "./change-project.ts";

export const windowFlags = {
  schedule: { kind: "string", help: "When it begins, as cron writes it", value: "CRON" },
  duration: { kind: "string", help: "How long it lasts, 1h for one", value: "TIME" },
  applications: { kind: "list", help: "For these applications; * for any text", value: "GLOB" },
  namespaces: { kind: "list", help: "For applications to these namespaces", value: "GLOB" },
  clusters: { kind: "list", help: "For applications to these clusters", value: "GLOB" },
  "time-zone": { kind: "string", help: "Of the schedule", value: "ZONE", byDefault: "UTC" },
  description: { kind: "string", help: "Description", value: "TEXT" },
} as const;

/** Windows are named by their place in the list, from 0. */
export function windowAt({ spec }: AppProject, text: string): { window: SyncWindow; index: number } {
  if (!/^\d+$/.test(text)) throw new UsageError(`"${text}" is not an id; see capstan proj windows list`);
  const window = spec.syncWindows?.[Number(text)];
  if (!window) throw new ExitError(`window with id '${text}' not found`, 20);
  return { window, index: Number(text) };
}

export function withWindow(project: AppProject, index: number, window: SyncWindow): AppProject {
  return withSpec(project, { syncWindows: (project.spec.syncWindows ?? []).with(index, window) });
}

/** Commands that turn one switch of a window. */
export function defineWindowSwitch(
  help: string,
  field: "manualSync" | "syncOverrun",
  isOn: boolean,
): Command {
  return defineProjectChange({
    usage: "PROJECT ID",
    help,
    arity: [1, 1],
    change(project, { args: [id = ""] }) {
      const { window, index } = windowAt(project, id);
      const { [field]: _old, ...rest } = window;
      return { project: withWindow(project, index, isOn ? { ...rest, [field]: true } : rest) };
    },
  });
}
