import { defineProjectChange, refusal, withSpec } from "./change-project.ts";

export default defineProjectChange({
  usage: "PROJECT GROUP KIND",
  help: "Watch again for resources of a kind that belong to no application.",
  arity: [2, 2],
  flags: { name: { kind: "string", help: "Pattern for the names of resources", value: "GLOB" } },
  change(project, { args: [group = "", kind = ""], flags: { name } }) {
    const { orphanedResources = {} } = project.spec;
    const old = orphanedResources.ignore ?? [];
    const index = old.findIndex(
      (one) => (one.group ?? "") === group && one.kind === kind && (one.name ?? "") === (name ?? ""),
    );
    if (index < 0) throw refusal("Specified resource does not exist in the orphaned ignore list of project");
    const ignore = old.toSpliced(index, 1);
    return { project: withSpec(project, { orphanedResources: { ...orphanedResources, ignore } }) };
  },
});
