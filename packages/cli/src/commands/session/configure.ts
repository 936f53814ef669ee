import { defineCommand, UsageError } from "../../command.ts";
import { readConfig, writeConfig } from "../../config/config-file.ts";
import { configPath } from "../../config/config-path.ts";

export default defineCommand({
  usage: "",
  help: "Change the configuration: whether questions that are optional are asked.",
  examples: ["capstan configure --prompts-enabled", "capstan configure --prompts-enabled=false"],
  argument: "none",
  arity: [0, 0],
  flags: {},
  async run({ io, global }) {
    const path = await configPath(io, global);
    const config = await readConfig(path);
    if (!config) throw new UsageError("No local configuration found");
    const enabled = global["prompts-enabled"] ?? config["prompts-enabled"] ?? false;
    await writeConfig(path, { ...config, "prompts-enabled": enabled });
    io.out(`Successfully updated the following configuration settings:\nprompts-enabled: ${enabled}\n`);
    return 0;
  },
});
