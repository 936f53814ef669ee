import { defineProjectChange, withSpec } from "./change-project.ts";
import { windowAt } from "./windows.ts";

export default defineProjectChange({
  usage: "PROJECT ID",
  help: "Delete a sync window.",
  arity: [1, 1],
  change(project, { args: [id = ""] }) {
    const { index } = windowAt(project, id);
    const syncWindows = (project.spec.syncWindows ?? []).toSpliced(index, 1);
    return {
      project: withSpec(project, { syncWindows }),
      question: "Are you sure you want to delete sync window?",
      cancelled: "The command to delete the sync window was cancelled",
    };
  },
});
