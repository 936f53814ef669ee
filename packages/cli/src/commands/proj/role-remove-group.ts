import { defineProjectChange } from "./change-project.ts";
import { findRole, withRole } from "./roles.ts";

export default defineProjectChange({
  usage: "PROJECT ROLE-NAME GROUP-CLAIM",
  help: "Take a role from a group of the identity provider.",
  arity: [2, 2],
  change(project, { args: [name = "", group = ""] }) {
    const role = findRole(project, name);
    const { groups = [] } = role;
    if (!groups.includes(group)) return { says: `Group '${group}' not present in role '${name}'` };
    return {
      project: withRole(project, { ...role, groups: groups.filter((one) => one !== group) }),
      says: `Group '${group}' removed from role '${name}'`,
      question: `Are you sure you want to remove '${group}' group from role '${name}'?`,
      cancelled: `The command to remove group '${group}' from role '${name}' was cancelled.`,
    };
  },
});
