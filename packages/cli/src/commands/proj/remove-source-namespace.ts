import { defineProjectChange, withSpec } from "./change-project.ts";

export default defineProjectChange({
  usage: "PROJECT NAMESPACE",
  help: "Permit no more that applications of the project are in a namespace.",
  arity: [1, 1],
  change(project, { args: [namespace = ""] }) {
    const old = project.spec.sourceNamespaces ?? [];
    if (namespace === "*" || !old.includes(namespace))
      return { says: `Source namespace '${namespace}' does not exist in project or cannot be removed` };
    const sourceNamespaces = old.filter((one) => one !== namespace);
    return { project: withSpec(project, { sourceNamespaces }) };
  },
});
