import { UsageError } from "../../command.ts";
import { compact } from "../../compact.ts";
import { defineProjectChange, withSpec } from "./change-project.ts";
import { windowFlags } from "./windows.ts";

export default defineProjectChange({
  usage: "PROJECT",
  help: "Add a window of time in which applications may be synced, or may not.",
  examples: [
    'capstan proj windows add web --kind deny --schedule "0 22 * * *" --duration 8h --applications "*" --manual-sync',
  ],
  arity: [0, 0],
  flags: {
    kind: { kind: "string", short: "k", help: "What it does", choices: ["allow", "deny"] },
    ...windowFlags,
    "manual-sync": { kind: "boolean", help: "Syncs by hand are permitted all the same" },
    "sync-overrun": { kind: "boolean", help: "A sync that began before goes on" },
    "use-and-operator": {
      kind: "boolean",
      help: "Applications, namespaces and clusters must all fit, rather than one of them",
    },
  },
  change(project, { flags }) {
    const { kind, schedule, duration } = flags;
    if ((kind !== "allow" && kind !== "deny") || !schedule || !duration)
      throw new UsageError(
        "cannot create window: require kind, schedule, duration and one or more of applications, namespaces and clusters",
      );
    const window = {
      ...{ kind, schedule, duration },
      ...compact({
        applications: flags.applications && [...flags.applications],
        namespaces: flags.namespaces && [...flags.namespaces],
        clusters: flags.clusters && [...flags.clusters],
        manualSync: flags["manual-sync"] || undefined,
        syncOverrun: flags["sync-overrun"] || undefined,
        andOperator: flags["use-and-operator"] || undefined,
        description: flags.description || undefined,
      }),
      timeZone: flags["time-zone"] ?? "UTC",
    } as const;
    return { project: withSpec(project, { syncWindows: [...(project.spec.syncWindows ?? []), window] }) };
  },
});
