import { defineProjectChange, refusal, withSpec } from "./change-project.ts";

export default defineProjectChange({
  usage: "PROJECT SERVER/NAME NAMESPACE",
  help: "Permit a cluster and namespace.",
  arity: [2, 2],
  flags: { name: { kind: "boolean", help: "The cluster is given by its name" } },
  change(project, { args: [cluster = "", namespace = ""], flags }) {
    const old = project.spec.destinations ?? [];
    const isThere = old.some(
      (one) => one.namespace === namespace && (flags.name ? one.name : one.server) === cluster,
    );
    if (isThere) throw refusal("Specified destination is already defined in project");
    const destination = flags.name ? { name: cluster, namespace } : { server: cluster, namespace };
    return { project: withSpec(project, { destinations: [...old, destination] }) };
  },
});
