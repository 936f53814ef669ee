import { type Flags, type FlagValues, UsageError } from "../../command.ts";
import { defineProjectChange } from "./change-project.ts";
import {
  checkedKeys,
  type GitPolicy,
  modes,
  policyIndex,
  policyTable,
  policyWarnings,
  someGitPolicies,
  withGitPolicies,
} from "./git-policies.ts";

const flags = {
  "repo-url": { kind: "list", help: "Repositories, in place of those that are there", value: "GLOB" },
  "add-repo-url": { kind: "list", help: "Further repositories", value: "GLOB" },
  "delete-repo-url": { kind: "list", help: "Repositories to take away", value: "GLOB" },
  "gpg-mode": { kind: "string", help: "What has to be signed", choices: modes },
  "gpg-key": { kind: "list", help: "Keys, in place of those that are there", value: "KEY-ID" },
  "add-gpg-key": { kind: "list", help: "Further keys", value: "KEY-ID" },
  "delete-gpg-key": { kind: "list", help: "Keys to take away", value: "KEY-ID" },
} as const satisfies Flags;

export default defineProjectChange({
  usage: "PROJECT POLICY_ID",
  help: "Change a policy of git repositories; what no flag names stays as it is.",
  examples: [
    "capstan proj source-integrity git policies update web 0 --gpg-mode strict --add-gpg-key D56C4FCA57A46444",
  ],
  arity: [1, 1],
  flags,
  async change(project, { args: [id = ""], flags: given, client }) {
    const policies = someGitPolicies(project);
    const index = policyIndex(policies, id);
    const policy = changedPolicy(policies[index] ?? { repos: [] }, given);
    const changed = policies.with(index, policy);
    return {
      project: withGitPolicies(project, changed),
      warnings: await policyWarnings(policy, client),
      says: policyTable(changed).trimEnd(),
    };
  },
});

function changedPolicy({ repos, gpg }: GitPolicy, given: FlagValues<typeof flags>): GitPolicy {
  const mode = modes.find((one) => one === given["gpg-mode"]) ?? gpg?.mode;
  if (!mode) throw new UsageError("gpg-mode must be set");
  const urls = changedList(
    repos.map(({ url }) => url),
    {
      flag: "repo-url",
      all: given["repo-url"],
      added: given["add-repo-url"],
      gone: given["delete-repo-url"],
    },
  );
  const keys = changedList(gpg?.keys ?? [], {
    flag: "gpg-key",
    all: given["gpg-key"] && checkedKeys(given["gpg-key"]),
    added: checkedKeys(given["add-gpg-key"] ?? []),
    gone: given["delete-gpg-key"],
  });
  return { repos: urls.map((url) => ({ url })), gpg: { mode, keys } };
}

interface ListChange {
  readonly flag: string;
  readonly all: readonly string[] | undefined;
  readonly added: readonly string[] | undefined;
  readonly gone: readonly string[] | undefined;
}

function changedList(before: readonly string[], { flag, all, added = [], gone = [] }: ListChange): string[] {
  if (all && added.length + gone.length > 0)
    throw new UsageError(`Option --${flag}, cannot be combined with --add-${flag} or --delete-${flag}`);
  return [...new Set([...(all ?? before).filter((one) => !gone.includes(one)), ...added])];
}
