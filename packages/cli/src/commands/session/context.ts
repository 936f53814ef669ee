import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { defineCommand, ExitError, UsageError } from "../../command.ts";
import { withoutContext } from "../../config/change-config.ts";
import { readConfig, readIfThere, resolveContext, writeConfig } from "../../config/config-file.ts";
import { configFolder, configPath } from "../../config/config-path.ts";
import { formatTable } from "../../output/table.ts";

export default defineCommand({
  usage: "[CONTEXT]",
  help: "List the servers that you are logged in to, or switch to one.",
  examples: ["capstan context", "capstan context cd.example", "capstan context -  # the one before"],
  argument: "context",
  arity: [0, 1],
  flags: { delete: { kind: "boolean", help: "Forget the context" } },
  async run({ args: [given], flags, io, global }) {
    const path = await configPath(io, global);
    const config = await readConfig(path);
    if (flags.delete && given === undefined) throw new UsageError("name the context to forget");
    if (!config) throw new UsageError(`No contexts defined in ${path}`);
    const current = config["current-context"];
    if (given === undefined) {
      const rows = config.contexts.map(({ name, server }) => [name === current ? "*" : " ", name, server]);
      io.out(formatTable([["CURRENT", "NAME", "SERVER"], ...rows]));
      return 0;
    }
    if (flags.delete) {
      if (!config.contexts.some(({ name }) => name === given))
        throw new ExitError(`context ${given} does not exist`, 20);
      await writeConfig(path, withoutContext(config, given));
      io.out(`Context '${given}' deleted\n`);
      return 0;
    }
    const before = join(await configFolder(io), ".prev-ctx");
    const name = given === "-" ? (await readIfThere(before))?.trim() : given;
    if (!name) throw new ExitError("there was no context before this one", 20);
    if (name === current) {
      io.out(`Already at context '${name}'\n`);
      return 0;
    }
    if (!config.contexts.some((one) => one.name === name))
      throw new UsageError(`Context '${name}' undefined`);
    resolveContext(config, { name, path });
    await writeConfig(path, { ...config, "current-context": name });
    await mkdir(dirname(before), { recursive: true });
    await writeFile(before, current);
    io.out(`Switched to context '${name}'\n`);
    return 0;
  },
});
