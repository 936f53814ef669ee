import { readFile } from "node:fs/promises";
import type { Api } from "../api.ts";
import { type GlobalValues, UsageError } from "../command.ts";
import { findServer, type ServerAccess } from "../config/find-server.ts";
import type { Io } from "../io.ts";
import type { Fetch } from "./create-api.ts";

/**
 * Finds the server. When the first call needs it, a token that has ended is renewed, and on this machine one logs in
 * without being asked.
 */
export async function connect(io: Io, global: GlobalValues): Promise<Api> {
  const access = await findServer(io, global);
  let token: Promise<string | undefined> | undefined;
  const api: Api = await openApi(io, global, {
    access,
    token() {
      token ??= access.token ? currentToken(io, global, access) : logInLocally(io, global, { access, api });
      return token;
    },
  });
  return api;
}

/** The calls of one server. */
export async function openApi(
  io: Io,
  global: GlobalValues,
  { access, token }: { access: ServerAccess; token(): Promise<string | undefined> },
): Promise<Api> {
  const { createApi } = await import("./create-api.ts");
  const direct = await fetchFor(access);
  const retries = global["http-retry-max"] ?? 0;
  return createApi({
    url: access.url,
    headers: readHeaders(global.header ?? []),
    fetch: retries > 0 ? (await import("./retry-fetch.ts")).retryingFetch(direct, { io, retries }) : direct,
    signal: io.signal,
    warn: (text) => {
      if (global.loglevel !== "error") io.err(`warning: ${text}\n`);
    },
    token,
  });
}

/** Node's own fetch; undici is loaded only where certificates are other than usual. */
export async function fetchFor({
  insecure,
  authority: ca,
  clientCertificate: own,
}: Pick<ServerAccess, "insecure" | "authority" | "clientCertificate">): Promise<Fetch> {
  if (!insecure && !ca && !own) return fetch;
  const undici = await import("undici");
  const certificate = own ? { cert: own.certificate, key: own.key } : {};
  const dispatcher = new undici.Agent({
    connect: { rejectUnauthorized: !insecure, ...(ca ? { ca } : {}), ...certificate },
  });
  return (url, init) => undici.fetch(url, { ...init, dispatcher });
}

/** That of the flags or the configuration, renewed where it has ended and can be. */
export async function currentToken(
  io: Io,
  global: GlobalValues,
  access: ServerAccess,
): Promise<string | undefined> {
  const { token, renewal } = access;
  if (token === undefined || renewal === undefined) return token;
  const { hasEnded, renewToken } = await import("./renew-token.ts");
  if (!hasEnded(token, io.clock.now())) return token;
  if (global.verbose || global.loglevel === "debug") io.err("the session has ended: renewing it\n");
  const api = await openApi(io, global, { access, token: async () => undefined });
  const fetch = await fetchFor({ ...access, insecure: false });
  return renewToken(token, renewal, { api, fetch, signal: io.signal });
}

async function logInLocally(
  io: Io,
  global: GlobalValues,
  { access, api }: { access: ServerAccess; api: Api },
): Promise<string | undefined> {
  if (!access.local) return undefined;
  const password = await readFile(access.local.passwordFile, "utf8").catch(() => undefined);
  if (password === undefined) return undefined;
  if (global.verbose || global.loglevel === "debug")
    io.err(`logging in to ${access.url} as admin with the password of ${access.local.passwordFile}\n`);
  const { logInWith } = await import("./local-password.ts");
  return logInWith({ password: password.trim(), file: access.local.passwordFile }, { api, io });
}

function readHeaders(given: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const text of given) {
    const colon = text.indexOf(":");
    if (colon <= 0) throw new UsageError(`--header: "${text}" is not "Name: value"`);
    headers[text.slice(0, colon).trim()] = text.slice(colon + 1).trim();
  }
  return headers;
}
