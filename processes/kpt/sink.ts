import { defineCommand, UsageError } from "@capstan/cli/record";

export default defineCommand({
  usage: "DIR",
  help: "Write the files of such a list, from standard input.",
  argument: "file",
  arity: [0, 1],
  standsAlone: true,
  flags: {},
  async run({ args: [directory], io }) {
    if (directory === undefined) throw new UsageError("name the folder to write into");
    const { sinkKptFolder } = await import("@capstan/plugin-kpt/folders");
    const { surroundings } = await import("./surroundings.ts");
    return sinkKptFolder(directory, surroundings(io));
  },
});
