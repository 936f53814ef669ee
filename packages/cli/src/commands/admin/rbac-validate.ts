import { defineCommand } from "../../command.ts";
import { fatal, policyFlags, readPolicy } from "./read-policy.ts";
import { tellPolicy } from "./tell-policy.ts";

export default defineCommand({
  usage: "[--policy-file FILE] [--namespace NAMESPACE]",
  help: "Check a policy, line by line. Exit code 1 where a line cannot be read.",
  examples: [
    "capstan admin rbac validate --policy-file policy.csv",
    "capstan admin rbac validate --policy-file argocd-rbac-cm.yaml",
    "capstan admin rbac validate --namespace argocd",
  ],
  argument: "none",
  standsAlone: true,
  arity: [0, 0],
  flags: policyFlags,
  async run({ flags, io }) {
    const { policy, isEmpty } = await readPolicy(flags, io);
    if (isEmpty) throw fatal("Policy is empty or could not be loaded.");
    const unreadable = tellPolicy(policy, io);
    io.out(
      unreadable.length === 0 ? "Policy is valid.\n" : `Policy is invalid: ${unreadable.join("\n  ")}\n`,
    );
    return unreadable.length === 0 ? 0 : 1;
  },
});
