import { connect } from "../../client/connect.ts";
import { defineCommand, UsageError } from "../../command.ts";
import { withTokens } from "../../config/change-config.ts";
import { readConfig, resolveContext, writeConfig } from "../../config/config-file.ts";
import { configPath } from "../../config/config-path.ts";
import { confirmIfEnabled } from "../../confirm.ts";
import type { Io } from "../../io.ts";
import { withTimeout } from "../../with-timeout.ts";

export default defineCommand({
  usage: "CONTEXT",
  help: "Log out: the server forgets the token, and so does the configuration. The context stays.",
  examples: ["capstan logout cd.example"],
  argument: "context",
  arity: [1, 1],
  flags: {},
  async run({ args: [name = ""], io, global }) {
    const path = await configPath(io, global);
    const config = await readConfig(path);
    if (!config) throw new UsageError("Nothing to logout from");
    if (!config.contexts.some((one) => one.name === name))
      throw new UsageError(`Context ${name} does not exist`);
    const { user, server } = resolveContext(config, { name, path });
    if (!(await confirmIfEnabled(io, global, `Are you sure you want to log out from '${name}'?`))) {
      io.err(`Logout from '${name}' cancelled\n`);
      return 0;
    }
    if (user["auth-token"] && !server.core) {
      const { server: _server, "auth-token": _token, ...rest } = global;
      const revoked = await revoke(io, { ...rest, "argocd-context": name });
      if (revoked instanceof Error) io.err(`the server could not be told: ${revoked.message}\n`);
    }
    await writeConfig(path, withTokens(config, { user: user.name }));
    io.out(`Logged out from '${name}'\n`);
    return 0;
  },
});

const patienceMs = 10_000;

/** A server that is gone does not keep anyone logged in. Variables that name another server or token do not count here. */
async function revoke(io: Io, global: Parameters<typeof connect>[1]): Promise<unknown> {
  const {
    ARGOCD_SERVER: _a,
    CAPSTAN_SERVER: _b,
    ARGOCD_AUTH_TOKEN: _c,
    CAPSTAN_AUTH_TOKEN: _d,
    ...env
  } = io.env;
  try {
    const api = await connect({ ...io, env }, global);
    return await withTimeout(io, { timeoutMs: patienceMs }, (signal) => api.call("logout", {}, signal));
  } catch (error) {
    io.signal.throwIfAborted();
    return error;
  }
}
