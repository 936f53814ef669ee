import { defineCommand } from "@capstan/cli/record";
import { ownVersion } from "../surroundings/own-process.ts";

export default defineCommand({
  usage: "",
  help: "Print the version.",
  argument: "none",
  arity: [0, 0],
  standsAlone: true,
  flags: {},
  async run({ io }) {
    io.out(`argocd-vault-plugin ${ownVersion()} (capstan)\n`);
    return 0;
  },
});
