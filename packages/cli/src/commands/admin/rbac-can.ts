import { createEnforcer, projectScopedResources } from "@capstan/engine";
import { defineCommand } from "../../command.ts";
import { questionProblem, resourceOf } from "./rbac-words.ts";
import { fatal, policyFlags, readPolicy } from "./read-policy.ts";
import { tellPolicy } from "./tell-policy.ts";

export default defineCommand({
  usage: "ROLE/SUBJECT ACTION RESOURCE [SUB-RESOURCE]",
  help: "Say whether a role or subject may do something. Exit code 0 for yes, 1 for no.",
  examples: [
    "capstan admin rbac can role:dev create application 'default/app' --policy-file policy.csv",
    "capstan admin rbac can role:dev sync application 'default/app' --policy-file argocd-rbac-cm.yaml",
    "capstan admin rbac can ada delete application 'default/app' --namespace argocd",
    "capstan admin rbac can ada get application 'default/app' --policy-file policy.csv --default-role role:readonly",
  ],
  notes: "Roles of projects stand in no policy of the installation, and are not looked at.",
  argument: "none",
  standsAlone: true,
  arity: [3, 4],
  flags: {
    ...policyFlags,
    "default-role": { kind: "string", value: "ROLE", help: "In place of the policy's own policy.default" },
    "use-builtin-policy": { kind: "boolean", help: "With role:admin and role:readonly", byDefault: "true" },
    strict: {
      kind: "boolean",
      help: "Refuse names of actions and resources that are none",
      byDefault: "true",
    },
    quiet: { kind: "boolean", short: "q", help: "Say it by the exit code alone" },
  },
  async run({ args: [subject = "", action = "", word = "", subResource = ""], flags, io }) {
    const { policy, defaultRole, matchMode } = await readPolicy(flags, io);
    const unreadable = tellPolicy(policy, io);
    if (unreadable.length > 0) throw fatal(`invalid user policy: ${unreadable.join("\n  ")}`);
    const resource = resourceOf(word);
    const problem = flags.strict === false ? undefined : questionProblem(resource, action);
    if (problem !== undefined) throw fatal(`error in RBAC request: ${problem}`);
    // All of a project's objects are named so.
    const isAny = projectScopedResources.has(resource) && (subResource === "*" || subResource === "");
    const enforcer = createEnforcer({
      policy,
      matchMode,
      defaultRole: flags["default-role"] || defaultRole,
      withoutBuiltin: flags["use-builtin-policy"] === false,
    });
    const isAllowed = enforcer.allowsName({ subject, resource, action, object: isAny ? "*/*" : subResource });
    if (!flags.quiet) io.out(isAllowed ? "Yes\n" : "No\n");
    return isAllowed ? 0 : 1;
  },
});
