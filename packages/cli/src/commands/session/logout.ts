import { defineCommand, ExitError } from "../../command.ts";
import { configPath, readConfig, withoutContext, writeConfig } from "../../config/config-file.ts";

export default defineCommand({
  usage: "CONTEXT",
  help: "Log out: the server forgets the token, and so does the configuration.",
  argument: "context",
  arity: [1, 1],
  flags: {},
  async run({ args: [context = ""], io, global, api }) {
    const path = configPath(io, global.config);
    const config = await readConfig(path);
    if (!config.contexts.some(({ name }) => name === context))
      throw new ExitError(`${path} has no context "${context}"`, 20);
    if (config["current-context"] === context) {
      // A server that is gone does not keep anyone logged in.
      const revoked = await (await api()).call("logout", {}).catch((error: unknown) => error);
      if (revoked instanceof Error) io.err(`the server could not be told: ${revoked.message}\n`);
    }
    await writeConfig(path, withoutContext(config, context));
    io.out(`Logged out from '${context}'\n`);
    return 0;
  },
});
