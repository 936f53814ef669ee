import { defineProjectChange } from "./change-project.ts";
import { policyIndex, someGitPolicies, withGitPolicies } from "./git-policies.ts";

export default defineProjectChange({
  usage: "PROJECT POLICY_ID...",
  help: "Delete policies of git repositories, all by the ids that they have before.",
  examples: ["capstan proj source-integrity git policies delete web 1 3"],
  arity: [1, 100],
  flags: { yes: { kind: "boolean", short: "y", help: "Do not ask" } },
  change(project, { args, flags }) {
    const policies = someGitPolicies(project);
    const ids = new Set(args.map((text) => policyIndex(policies, text)));
    const listed = [...ids].toSorted((one, other) => one - other).join(", ");
    return {
      project: withGitPolicies(
        project,
        policies.filter((_, index) => !ids.has(index)),
      ),
      ...(flags.yes
        ? {}
        : {
            question: `Are you sure you want to delete policies ${listed} of project "${project.metadata.name}"?`,
          }),
    };
  },
});
