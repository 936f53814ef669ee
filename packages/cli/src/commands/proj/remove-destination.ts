import { defineProjectChange, refusal, withSpec } from "./change-project.ts";

export default defineProjectChange({
  usage: "PROJECT SERVER/NAME NAMESPACE",
  help: "Permit a cluster and namespace no more.",
  arity: [2, 2],
  change(project, { args: [cluster = "", namespace = ""] }) {
    const old = project.spec.destinations ?? [];
    const index = old.findIndex((one) => one.namespace === namespace && (one.server || one.name) === cluster);
    if (index < 0) throw refusal("Specified destination does not exist in project");
    return { project: withSpec(project, { destinations: old.toSpliced(index, 1) }) };
  },
});
