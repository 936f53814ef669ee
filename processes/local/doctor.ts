import { defineCommand, isObjectFormat, outputFlag, printObject } from "@capstan/cli/record";
import { dataFlag, dataFolderOf } from "../up/running.ts";
import { examine, type Finding } from "./examine.ts";

const marks: Readonly<Record<Finding["state"], string>> = {
  ok: "ok     ",
  lacks: "lacks  ",
  fails: "FAILS  ",
};

export default defineCommand({
  usage: "",
  help: "Look whether what Capstan needs is on this machine, and say what to do where it is not. Exit code 1: something that capstan up needs fails.",
  examples: ["capstan doctor", "capstan doctor -o json"],
  argument: "none",
  arity: [0, 0],
  standsAlone: true,
  flags: { data: dataFlag, output: outputFlag(["json", "yaml"]) },
  async run({ flags, io }) {
    const { env, clock, signal } = io;
    const findings = await examine({ dataDir: dataFolderOf(flags.data), env, clock, signal });
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, findings);
    else
      for (const { state, what, found, todo } of findings) {
        io.out(`${marks[state]}${what.padEnd(14)}${found}\n`);
        if (todo !== undefined) io.out(`${" ".repeat(21)}${todo}\n`);
      }
    return findings.some(({ state }) => state === "fails") ? 1 : 0;
  },
});
