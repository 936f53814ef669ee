import { defineCommand, UsageError } from "@capstan/cli/record";
import { metaResources, output, refuseMetaResources } from "./run-flags.ts";

export default defineCommand({
  usage: "[DIR]",
  help: "Print a package as one list.",
  argument: "file",
  arity: [0, 1],
  standsAlone: true,
  flags: {
    output: {
      ...output,
      help: "One list, or the resources one after another",
      value: "stdout|unwrap",
      byDefault: "stdout",
    },
    "fn-config": { kind: "string", help: "The configuration for the functions that follow", value: "FILE" },
    ...metaResources,
  },
  async run({ args: [directory = "."], flags, io }) {
    refuseMetaResources(flags);
    const { output: format = "stdout", "fn-config": fnConfig = "" } = flags;
    if (format !== "stdout" && format !== "unwrap")
      throw new UsageError(
        `invalid input for --output flag ${JSON.stringify(format)}, must be "stdout" or "unwrap"`,
      );
    const { sourceKptFolder } = await import("@capstan/plugin-kpt/folders");
    const { surroundings } = await import("./surroundings.ts");
    return sourceKptFolder({ directory, output: format, fnConfig }, surroundings(io));
  },
});
