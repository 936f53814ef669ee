import { defineCommand, isObjectFormat, outputFlag, printObject } from "@capstan/cli/record";
import { dataFlag, dataFolderOf, readRunning, runningText, stateOf } from "../up/running.ts";

export default defineCommand({
  usage: "",
  help: "Show whether a capstan up of this machine runs, and where it is reached. Exit code 1: none does.",
  examples: ["capstan status", "capstan status -o json"],
  argument: "none",
  arity: [0, 0],
  standsAlone: true,
  flags: { data: dataFlag, output: outputFlag(["json", "yaml"]) },
  async run({ flags, io }) {
    const dataDir = dataFolderOf(flags.data);
    const running = await readRunning(dataDir);
    const { isReady: _, ...facts } = running ?? { isReady: false };
    const status = { state: stateOf(running), data: dataDir, ...facts };
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, status);
    else io.out(runningText(running, dataDir));
    return running ? 0 : 1;
  },
});
