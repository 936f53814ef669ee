import { defineProjectChange, withSpec } from "./change-project.ts";

export default defineProjectChange({
  usage: "PROJECT ROLE-NAME",
  help: "Delete a role of a project, with its tokens.",
  arity: [1, 1],
  change(project, { args: [name = ""] }) {
    const old = project.spec.roles ?? [];
    const roles = old.filter((role) => role.name !== name);
    if (roles.length === old.length) return { says: `Role '${name}' does not exist in project` };
    return {
      project: withSpec(project, { roles }),
      says: `Role '${name}' deleted`,
      question: `Are you sure you want to delete '${name}' role?`,
      cancelled: `The command to delete role '${name}' was cancelled.`,
    };
  },
});
