import { UsageError } from "../../command.ts";
import { defineProjectChange } from "./change-project.ts";
import { applyProjectFlags, projectFlags } from "./project-flags.ts";

export default defineProjectChange({
  usage: "PROJECT",
  help: "Change parameters of a project; what no flag names stays as it is.",
  examples: ["capstan proj set web --description 'The shop' --orphaned-resources-warn"],
  arity: [0, 0],
  flags: projectFlags,
  change(project, { flags }) {
    if (!Object.keys(flags).some((flag) => flag in projectFlags))
      throw new UsageError("Please set at least one option to update; see capstan proj set --help");
    const { orphanedResources, ...spec } = project.spec;
    const isSwitchedOff =
      flags["orphaned-resources"] === false && flags["orphaned-resources-warn"] === undefined;
    return { project: { ...project, spec: applyProjectFlags(isSwitchedOff ? spec : project.spec, flags) } };
  },
});
