import type { CliConfig, ConfigServer } from "./config-file.ts";

const empty: CliConfig = { "current-context": "", contexts: [], servers: [], users: [] };

interface Login {
  readonly context: string;
  readonly server: ConfigServer;
  readonly token: string;
  readonly refreshToken?: string | undefined;
}

/** With one login more, which becomes the current one. */
export function withLogin(
  config: CliConfig = empty,
  { context, server, token, refreshToken }: Login,
): CliConfig {
  const user = { name: context, "auth-token": token };
  return {
    ...config,
    "current-context": context,
    contexts: replaced(config.contexts, { name: context, server: server.server, user: context }, "name"),
    servers: replaced(config.servers, server, "server"),
    users: replaced(config.users, refreshToken ? { ...user, "refresh-token": refreshToken } : user, "name"),
  };
}

/** At its place, else at the end. */
function replaced<E>(entries: readonly E[], entry: E, key: keyof E): E[] {
  const index = entries.findIndex((one) => one[key] === entry[key]);
  return index < 0 ? [...entries, entry] : entries.with(index, entry);
}

/** The context stays, with other tokens or with none. */
export function withTokens(
  config: CliConfig,
  { user, token, refreshToken }: { user: string; token?: string; refreshToken?: string },
): CliConfig {
  return {
    ...config,
    users: config.users.map((one) => {
      if (one.name !== user) return one;
      const { "auth-token": _token, "refresh-token": _refresh, ...rest } = one;
      return {
        ...rest,
        name: one.name,
        ...(token ? { "auth-token": token } : {}),
        ...(refreshToken ? { "refresh-token": refreshToken } : {}),
      };
    }),
  };
}

/** A server or a user of other contexts stays. */
export function withoutContext(config: CliConfig, context: string): CliConfig {
  const found = config.contexts.find(({ name }) => name === context);
  const contexts = config.contexts.filter(({ name }) => name !== context);
  const isGone = (key: "server" | "user", value: string): boolean =>
    found?.[key] === value && !contexts.some((one) => one[key] === value);
  return {
    ...config,
    "current-context": config["current-context"] === context ? "" : config["current-context"],
    contexts,
    servers: config.servers.filter(({ server }) => !isGone("server", server)),
    users: config.users.filter(({ name }) => !isGone("user", name)),
  };
}
