import { defineProjectChange } from "./change-project.ts";
import { findRole, policyFlags, policyLine, withRole } from "./roles.ts";

export default defineProjectChange({
  usage: "PROJECT ROLE-NAME",
  help: "Remove a line of policy from a role.",
  arity: [1, 1],
  flags: policyFlags,
  change(project, { args: [name = ""], flags }) {
    const role = findRole(project, name);
    const line = policyLine(project, name, flags);
    const { policies: old = [] } = role;
    if (!old.includes(line)) return { says: `Role '${name}' has no policy '${line}'` };
    const policies = old.toSpliced(old.indexOf(line), 1);
    return {
      project: withRole(project, { ...role, policies }),
      question: `Are you sure you want to delete '${line}' policy?`,
      cancelled: `The command to delete policy '${line}' was cancelled.`,
    };
  },
});
