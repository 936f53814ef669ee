import { defineProjectChange, withSpec } from "./change-project.ts";

export default defineProjectChange({
  usage: "PROJECT NAMESPACE",
  help: "Permit that applications of the project are in a namespace.",
  arity: [1, 1],
  change(project, { args: [namespace = ""] }) {
    const old = project.spec.sourceNamespaces ?? [];
    const found = old.find((one) => one === "*" || one === namespace);
    if (found !== undefined) return { says: `Source namespace '${found}' already allowed in project` };
    return { project: withSpec(project, { sourceNamespaces: [...old, namespace] }) };
  },
});
