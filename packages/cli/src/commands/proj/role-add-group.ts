import { defineProjectChange } from "./change-project.ts";
import { findRole, withRole } from "./roles.ts";

export default defineProjectChange({
  usage: "PROJECT ROLE-NAME GROUP-CLAIM",
  help: "Give a role to a group of the identity provider.",
  arity: [2, 2],
  change(project, { args: [name = "", group = ""] }) {
    const role = findRole(project, name);
    const { groups = [] } = role;
    if (groups.includes(group)) return { says: `Group '${group}' already present in role '${name}'` };
    const says = `Group '${group}' added to role '${name}'`;
    return { project: withRole(project, { ...role, groups: [...groups, group] }), says };
  },
});
