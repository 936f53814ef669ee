import { UsageError } from "../../command.ts";
import { compact } from "../../compact.ts";
import { defineProjectChange } from "./change-project.ts";
import { windowAt, windowFlags, withWindow } from "./windows.ts";

export default defineProjectChange({
  usage: "PROJECT ID",
  help: "Change a sync window; what no flag names stays as it is.",
  examples: ['capstan proj windows update web 0 --schedule "0 20 * * *"'],
  arity: [1, 1],
  flags: windowFlags,
  change(project, { args: [id = ""], flags }) {
    const { window, index } = windowAt(project, id);
    const changes = compact({
      schedule: flags.schedule || undefined,
      duration: flags.duration || undefined,
      applications: flags.applications && [...flags.applications],
      namespaces: flags.namespaces && [...flags.namespaces],
      clusters: flags.clusters && [...flags.clusters],
      timeZone: flags["time-zone"] || undefined,
      description: flags.description || undefined,
    });
    if (Object.keys(changes).length === 0)
      throw new UsageError(
        "cannot update: require one or more of schedule, duration, application, namespace, cluster, time zone or description",
      );
    return { project: withWindow(project, index, { ...window, ...changes }) };
  },
});
