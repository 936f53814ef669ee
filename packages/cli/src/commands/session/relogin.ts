import { openApi } from "../../client/connect.ts";
import { defineCommand, ExitError, UsageError } from "../../command.ts";
import { withTokens } from "../../config/change-config.ts";
import { readConfig, resolveContext, writeConfig } from "../../config/config-file.ts";
import { configPath } from "../../config/config-path.ts";
import { findServer } from "../../config/find-server.ts";
import { readClaims } from "../../token-claims.ts";
import { passwordLogin } from "./password-login.ts";

export default defineCommand({
  usage: "",
  help: "Log in again where the current context leads, as the same user.",
  examples: ["capstan relogin", "capstan relogin --password secret"],
  argument: "none",
  arity: [0, 0],
  flags: { password: { kind: "string", help: "Password; asked for when absent", value: "TEXT" } },
  async run({ flags, io, global }) {
    const path = await configPath(io, global);
    const config = await readConfig(path);
    const name = config?.["current-context"];
    if (!config || !name) throw new UsageError("No context found. Login using `capstan login`");
    const { user } = resolveContext(config, { name, path });
    const claims = readClaims(user["auth-token"] ?? "");
    if (claims.iss !== "argocd")
      throw new ExitError(
        claims.iss === undefined
          ? `context "${name}" keeps no token that says who logs in: use capstan login`
          : `context "${name}" was logged in by ${String(claims.iss)}: use capstan login --sso`,
        20,
      );
    const username = String(claims.sub ?? "").split(":")[0] ?? "";
    io.out(`Relogging in as '${username}'\n`);
    const access = await findServer(io, { ...global, "argocd-context": name });
    const api = await openApi(io, global, { access, token: async () => undefined });
    const token = await passwordLogin(api, io, { username, password: flags.password });
    await writeConfig(path, withTokens(config, { user: user.name, token }));
    io.out(`Context '${name}' updated\n`);
    return 0;
  },
});
