import { UsageError } from "../../command.ts";
import { defineProjectChange } from "./change-project.ts";
import {
  checkedKeys,
  type GitPolicy,
  gitPoliciesOf,
  modes,
  policyTable,
  policyWarnings,
  withGitPolicies,
} from "./git-policies.ts";

export default defineProjectChange({
  usage: "PROJECT",
  help: "Say who has to have signed what comes from some git repositories.",
  examples: [
    "capstan proj source-integrity git policies add web --repo-url 'https://github.com/foo/*' --gpg-mode strict --gpg-key D56C4FCA57A46444",
  ],
  arity: [0, 0],
  flags: {
    "repo-url": { kind: "list", help: "Repositories; ! before a pattern takes some out", value: "GLOB" },
    "gpg-mode": {
      kind: "string",
      help: "strict: all commits since the last sync; head: the revision alone; none: nothing",
      choices: modes,
    },
    "gpg-key": { kind: "list", help: "Key that may sign", value: "KEY-ID" },
  },
  async change(project, { flags, client }) {
    const mode = modes.find((one) => one === flags["gpg-mode"]);
    if (!mode) throw new UsageError("gpg-mode must be set");
    const policy: GitPolicy = {
      repos: (flags["repo-url"] ?? []).map((url) => ({ url })),
      gpg: { mode, keys: checkedKeys(flags["gpg-key"] ?? []) },
    };
    const policies = [...gitPoliciesOf(project), policy];
    return {
      project: withGitPolicies(project, policies),
      warnings: await policyWarnings(policy, client),
      says: policyTable(policies).trimEnd(),
    };
  },
});
