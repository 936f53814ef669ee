import { defineProjectChange, refusal, withSpec } from "./change-project.ts";

export default defineProjectChange({
  usage: "PROJECT GROUP KIND",
  help: "Watch no more for resources of a kind that belong to no application.",
  arity: [2, 2],
  flags: { name: { kind: "string", help: "Pattern for the names of resources", value: "GLOB" } },
  change(project, { args: [group = "", kind = ""], flags: { name } }) {
    const { orphanedResources = {} } = project.spec;
    const old = orphanedResources.ignore ?? [];
    const isThere = old.some(
      (one) => (one.group ?? "") === group && one.kind === kind && (one.name ?? "") === (name ?? ""),
    );
    if (isThere)
      throw refusal("Specified resource is already defined in the orphaned ignore list of project");
    const ignore = [...old, { group, kind, ...(name ? { name } : {}) }];
    return { project: withSpec(project, { orphanedResources: { ...orphanedResources, ignore } }) };
  },
});
