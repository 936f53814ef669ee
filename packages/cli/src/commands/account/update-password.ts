import { defineCommand, type GlobalValues } from "../../command.ts";
import { withTokens } from "../../config/change-config.ts";
import { readConfig, resolveContext, writeConfig } from "../../config/config-file.ts";
import { configPath } from "../../config/config-path.ts";
import { askLine } from "../../confirm.ts";
import type { Io } from "../../io.ts";
import { readNewPassword } from "./read-password.ts";

export default defineCommand({
  usage: "",
  help: "Change the own password, or that of another local account where you have the right.",
  examples: ["capstan account update-password", "capstan account update-password --account ann"],
  argument: "none",
  arity: [0, 0],
  flags: {
    account: { kind: "string", help: "Account; the own one unless it is given", value: "NAME" },
    "current-password": { kind: "string", help: "The own password; asked for when absent", value: "TEXT" },
    "new-password": { kind: "string", help: "The new one; asked for when absent", value: "TEXT" },
  },
  async run({ flags, io, global, api }) {
    const client = await api();
    const { username: own = "", iss } = await client.call("getUserInfo", {});
    const isLocal = iss === "argocd";
    const question = `*** Enter password of currently logged in user (${own}): `;
    const currentPassword =
      flags["current-password"] || (isLocal ? await askLine(io, question, { hidden: true }) : "");
    const name = flags.account || own;
    const newPassword = flags["new-password"] || (await readNewPassword(io, name));
    await client.call("updatePassword", { name, currentPassword, newPassword });
    io.out("Password updated\n");
    if (name !== own || !isLocal) return 0;
    const { token } = await client.call("login", { username: own, password: newPassword });
    const updated = await keepToken(io, global, token);
    if (updated !== undefined) io.out(`Context '${updated}' updated\n`);
    return 0;
  },
});

/** The former token counts no more. Whoever keeps none has none to renew. */
async function keepToken(io: Io, global: GlobalValues, token: string): Promise<string | undefined> {
  const path = await configPath(io, global);
  const config = await readConfig(path);
  const name = global["argocd-context"] ?? config?.["current-context"];
  if (!config || !name || global["auth-token"] !== undefined || global.server !== undefined) return undefined;
  const { user } = resolveContext(config, { name, path });
  await writeConfig(path, withTokens(config, { user: user.name, token }));
  return name;
}
