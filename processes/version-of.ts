import { type Command, defineCommand } from "@capstan/cli/record";
import { ownVersion } from "./surroundings/own-process.ts";

/** The command `version` of a program that Capstan stands in for. */
export function versionOf(program: string): { default: Command } {
  return {
    default: defineCommand({
      usage: "",
      help: "Print the version.",
      argument: "none",
      arity: [0, 0],
      standsAlone: true,
      flags: {},
      async run({ io }) {
        io.out(`${program} ${ownVersion()} (capstan)\n`);
        return 0;
      },
    }),
  };
}
