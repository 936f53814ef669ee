import { fetchFor } from "../../client/connect.ts";
import { createApi } from "../../client/create-api.ts";
import { defineCommand, ExitError } from "../../command.ts";
import { configPath, readConfig, withLogin, writeConfig } from "../../config/config-file.ts";
import { isLoopback, serverUrl } from "../../config/find-server.ts";

export default defineCommand({
  usage: "SERVER",
  help: "Log in to a server and keep the token in the configuration.",
  examples: ["capstan login localhost:8080 --username admin", "capstan login capstan.example --insecure"],
  argument: "none",
  arity: [1, 1],
  flags: {
    username: { kind: "string", help: "User", value: "NAME" },
    password: { kind: "string", help: "Password; asked for when absent", value: "TEXT" },
    name: { kind: "string", help: "Name of the context", value: "NAME", byDefault: "the server" },
    sso: { kind: "boolean", help: "Through the identity provider (not yet)" },
    "skip-test-tls": { kind: "boolean", help: "Accepted for compatibility" },
  },
  async run({ args: [given = ""], flags, io, global }) {
    if (flags.sso)
      throw new ExitError("login through an identity provider is not there yet: use --username", 20);
    const isPlain =
      global.plaintext ?? (given.startsWith("http://") || (isLoopback(given) && !global.insecure));
    const url = serverUrl(given, { plaintext: isPlain });
    const server = url.replace(/^https?:\/\//, "");
    const insecure = global.insecure ?? false;
    const fetch = await fetchFor({ insecure, caData: undefined });
    const api = createApi({ url, token: async () => undefined, headers: {}, fetch, signal: io.signal });
    if ((!flags.username || !flags.password) && !io.errIsTerminal)
      throw new ExitError("no terminal to ask at: give --username and --password", 20);
    const username = flags.username ?? (await io.ask("Username: ", { hidden: false }));
    const password = flags.password ?? (await io.ask("Password: ", { hidden: true }));
    const { token } = await api.call("login", { username, password });
    const path = configPath(io, global.config);
    const context = flags.name ?? server;
    const entry = { server, ...(insecure ? { insecure } : {}), ...(isPlain ? { "plain-text": true } : {}) };
    await writeConfig(path, withLogin(await readConfig(path), { context, server: entry, token }));
    io.out(`'${username}:login' logged in successfully\nContext '${context}' updated\n`);
    return 0;
  },
});
