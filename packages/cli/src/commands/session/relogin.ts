import type { Api } from "../../api.ts";
import { fetchFor, openApi } from "../../client/connect.ts";
import type { SsoTokens } from "../../client/sso-provider.ts";
import { defineCommand, ExitError, type FlagValues, UsageError } from "../../command.ts";
import { withTokens } from "../../config/change-config.ts";
import { readConfig, resolveContext, writeConfig } from "../../config/config-file.ts";
import { configPath } from "../../config/config-path.ts";
import { findServer, type ServerAccess } from "../../config/find-server.ts";
import type { Io } from "../../io.ts";
import { readClaims } from "../../token-claims.ts";
import { passwordLogin } from "./password-login.ts";
import { ssoFlags, ssoLogin } from "./sso-login.ts";

export default defineCommand({
  usage: "",
  help: "Log in again where the current context leads, as the same user.",
  examples: ["capstan relogin", "capstan relogin --password secret"],
  argument: "none",
  arity: [0, 0],
  flags: {
    password: { kind: "string", help: "Password; asked for when absent", value: "TEXT" },
    ...ssoFlags,
  },
  async run({ flags, io, global }) {
    const path = await configPath(io, global);
    const config = await readConfig(path);
    const name = config?.["current-context"];
    if (!config || !name) throw new UsageError("No context found. Login using `capstan login`");
    const { user } = resolveContext(config, { name, path });
    const claims = readClaims(user["auth-token"] ?? "");
    if (claims.iss === undefined)
      throw new ExitError(`context "${name}" keeps no token that says who logs in: use capstan login`, 20);
    const access = await findServer(io, { ...global, "argocd-context": name });
    const api = await openApi(io, global, { access, token: async () => undefined });
    const tokens = await logInAgain(io, claims, { api, access, flags });
    const kept = { user: user.name, token: tokens.token };
    const { refreshToken } = tokens;
    await writeConfig(path, withTokens(config, refreshToken ? { ...kept, refreshToken } : kept));
    io.out(`Context '${name}' updated\n`);
    return 0;
  },
});

interface Again {
  readonly api: Api;
  readonly access: ServerAccess;
  readonly flags: FlagValues<typeof ssoFlags> & { readonly password?: string | undefined };
}

/** As the token of before was got. */
async function logInAgain(
  io: Io,
  claims: Readonly<Record<string, unknown>>,
  { api, access, flags }: Again,
): Promise<SsoTokens> {
  if (claims.iss !== "argocd") {
    io.out("Reinitiating SSO login\n");
    return ssoLogin(io, { api, flags, fetch: await fetchFor({ ...access, insecure: false }) });
  }
  const username = String(claims.sub ?? "").split(":")[0] ?? "";
  io.out(`Relogging in as '${username}'\n`);
  return { token: await passwordLogin(api, io, { username, password: flags.password }) };
}
