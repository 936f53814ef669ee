import { defineCommand, ExitError } from "../../command.ts";
import { configPath, readConfig, withoutContext, writeConfig } from "../../config/config-file.ts";
import { formatTable } from "../../output/table.ts";

export default defineCommand({
  usage: "[CONTEXT]",
  help: "List the servers that you are logged in to, or switch to one.",
  argument: "context",
  arity: [0, 1],
  flags: { delete: { kind: "boolean", help: "Forget the context" } },
  async run({ args: [context], flags, io, global }) {
    const path = configPath(io, global.config);
    const config = await readConfig(path);
    if (context === undefined) {
      const rows = config.contexts.map(({ name, server }) => [
        name === config["current-context"] ? "*" : "",
        name,
        server,
      ]);
      io.out(formatTable([["CURRENT", "NAME", "SERVER"], ...rows]));
      return 0;
    }
    if (!config.contexts.some(({ name }) => name === context))
      throw new ExitError(`${path} has no context "${context}"`, 20);
    if (flags.delete) {
      await writeConfig(path, withoutContext(config, context));
      io.out(`Context '${context}' deleted\n`);
      return 0;
    }
    await writeConfig(path, { ...config, "current-context": context });
    io.out(`Switched to context '${context}'\n`);
    return 0;
  },
});
