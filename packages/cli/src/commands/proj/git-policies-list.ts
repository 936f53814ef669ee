import { defineCommand } from "../../command.ts";
import { isObjectFormat, outputFlag, printObject } from "../../output/print-object.ts";
import { policyTable, someGitPolicies } from "./git-policies.ts";

export default defineCommand({
  usage: "PROJECT",
  help: "List a project's policies of git repositories, each with the id that update and delete take.",
  argument: "project",
  arity: [1, 1],
  flags: { output: outputFlag(["wide", "json", "yaml"], "wide") },
  async run({ args: [name = ""], flags, io, api }) {
    const policies = someGitPolicies(await (await api()).call("getProject", { name }));
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, policies);
    else io.out(policyTable(policies));
    return 0;
  },
});
