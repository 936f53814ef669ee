import { defineProjectChange, withSpec } from "./change-project.ts";

export default defineProjectChange({
  usage: "PROJECT ROLE-NAME",
  help: "Create a role of a project.",
  arity: [1, 1],
  flags: { description: { kind: "string", help: "Description", value: "TEXT" } },
  change(project, { args: [name = ""], flags: { description } }) {
    const old = project.spec.roles ?? [];
    if (old.some((role) => role.name === name)) return { says: `Role '${name}' already exists` };
    const role = { name, ...(description ? { description } : {}) };
    return { project: withSpec(project, { roles: [...old, role] }), says: `Role '${name}' created` };
  },
});
