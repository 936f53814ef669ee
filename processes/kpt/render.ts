import { defineCommand } from "@capstan/cli/record";
import { containerSettings } from "./container-settings.ts";
import { readRunFlags, runFlags, runNotes } from "./run-flags.ts";

export default defineCommand({
  usage: "[DIR]",
  help: "Run the pipelines of a package's Kptfiles.",
  notes: runNotes,
  argument: "file",
  arity: [0, 1],
  standsAlone: true,
  flags: {
    ...runFlags,
    "allow-exec": { kind: "boolean", help: "Let the package run programs" },
    "allow-network": {
      kind: "boolean",
      help: "Let functions in containers and render-helm-chart reach the network",
    },
  },
  async run({ args, flags, io }) {
    const { renderKptFolder } = await import("@capstan/plugin-kpt/folders");
    const { surroundings } = await import("./surroundings.ts");
    const allowExec = flags["allow-exec"] ?? false;
    const allowNetwork = flags["allow-network"] ?? false;
    const containers = containerSettings(flags, "");
    return renderKptFolder(
      { ...readRunFlags(flags, args), allowExec, allowNetwork, containers },
      surroundings(io),
    );
  },
});
