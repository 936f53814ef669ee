import { defineCommand } from "@capstan/cli/record";
import { controllerFlags } from "./options.ts";

export default defineCommand({
  usage: "",
  help: "Run the application controller alone, on a cluster that has Capstan's or Argo CD's objects.",
  notes: `It compares and syncs applications, follows images (capstan.dev and argocd-image-updater's annotations), and tells in
projects what of them is not honoured. The CRDs must be there.
`,
  argument: "none",
  arity: [0, 0],
  standsAlone: true,
  ownSignals: true,
  endings: { prefix: "capstan controller: ", usage: 2, failed: 1, stack: true },
  flags: controllerFlags,
  async run({ flags, io }) {
    await (await import("./run-controller.ts")).runController(flags, io.env);
    return 0;
  },
});
