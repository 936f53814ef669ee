import { readFile } from "node:fs/promises";
import type { Api } from "../api.ts";
import type { GlobalValues } from "../command.ts";
import { findServer, type ServerAccess } from "../config/find-server.ts";
import type { Io } from "../io.ts";
import type { Fetch } from "./create-api.ts";

/** Finds the server, and on this machine also logs in once, when the first call needs it. */
export async function connect(io: Io, global: GlobalValues): Promise<Api> {
  const access = await findServer(io, global);
  const { createApi } = await import("./create-api.ts");
  let token: Promise<string | undefined> | undefined;
  const api: Api = createApi({
    url: access.url,
    headers: readHeaders(global.header ?? []),
    fetch: await fetchFor(access),
    signal: io.signal,
    warn: (text) => io.err(`warning: ${text}\n`),
    token() {
      token ??= access.token ? Promise.resolve(access.token) : logInLocally(io, global, { access, api });
      return token;
    },
  });
  return api;
}

/** Node's own fetch; undici is loaded only for servers with certificates of their own. */
export async function fetchFor({
  insecure,
  caData,
}: Pick<ServerAccess, "insecure" | "caData">): Promise<Fetch> {
  if (!insecure && !caData) return fetch;
  const undici = await import("undici");
  const ca = caData ? Buffer.from(caData, "base64").toString("utf8") : undefined;
  const dispatcher = new undici.Agent({ connect: { rejectUnauthorized: !insecure, ...(ca ? { ca } : {}) } });
  return (url, init) => undici.fetch(url, { ...init, dispatcher });
}

async function logInLocally(
  io: Io,
  global: GlobalValues,
  { access, api }: { access: ServerAccess; api: Api },
): Promise<string | undefined> {
  if (!access.local) return undefined;
  const password = await readFile(access.local.passwordFile, "utf8").catch(() => undefined);
  if (password === undefined) return undefined;
  if (global.verbose)
    io.err(`logging in to ${access.url} as admin with the password of ${access.local.passwordFile}\n`);
  return (await api.call("login", { username: "admin", password: password.trim() })).token;
}

function readHeaders(given: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const text of given) {
    const colon = text.indexOf(":");
    if (colon > 0) headers[text.slice(0, colon).trim()] = text.slice(colon + 1).trim();
  }
  return headers;
}
