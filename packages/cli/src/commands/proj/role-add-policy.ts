import { defineProjectChange } from "./change-project.ts";
import { findRole, policyFlags, policyLine, withRole } from "./roles.ts";

export default defineProjectChange({
  usage: "PROJECT ROLE-NAME",
  help: "Add a line of policy to a role.",
  arity: [1, 1],
  flags: policyFlags,
  change(project, { args: [name = ""], flags }) {
    const role = findRole(project, name);
    const policies = [...(role.policies ?? []), policyLine(project, name, flags)];
    return { project: withRole(project, { ...role, policies }) };
  },
});
