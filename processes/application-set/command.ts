import { defineCommand } from "@capstan/cli/record";
import { applicationSetFlags } from "./options.ts";

export default defineCommand({
  usage: "",
  help: "Run the ApplicationSet controller alone, on a cluster that has Capstan's or Argo CD's objects.",
  notes: "It makes Applications of ApplicationSets. The CRDs must be there.\n",
  argument: "none",
  arity: [0, 0],
  standsAlone: true,
  ownSignals: true,
  endings: { prefix: "capstan application-set: ", usage: 2, failed: 1, stack: true },
  flags: applicationSetFlags,
  async run({ flags, io }) {
    await (await import("./run-application-set.ts")).runApplicationSet(flags, io.env);
    return 0;
  },
});
