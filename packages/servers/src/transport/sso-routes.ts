import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ServedPlace } from "../served-place.ts";
import type { Caller, TrustedProxies } from "./caller.ts";
import { callerOf, type RouteGuard } from "./guard.ts";
import { queryOf } from "./query-of.ts";
import { cookieOf, readTokenCookies, shownBy, tokenCookies } from "./session-cookie.ts";

/** By whom, and below which path, this server was asked. */
interface Asked extends Caller {
  readonly base: string;
}

/** Logins through an identity provider, as routes need them. */
export interface SsoPort {
  begin(login: { returnUrl: string; page: string | undefined; asked: Asked }): Promise<{
    location: string;
    cookie: string;
    cookieSeconds: number;
    isSecure: boolean;
  }>;
  finish(
    back: { query: URLSearchParams; cookie: string | undefined },
    signal: AbortSignal,
  ): Promise<{ location: string; token: string; isSecure: boolean }>;
  /** Ends the session; where the browser goes then. */
  logOut(token: string | undefined, asked: Asked): Promise<string>;
}

interface Needs {
  sso: SsoPort;
  proxies: TrustedProxies;
  place: ServedPlace;
  log: { warn(facts: object, message: string): void };
  signal: AbortSignal;
}

const stateCookie = "argocd.oauthstate";
const open = { access: "open", streams: false, maxBody: 0 } as const;
const call: RouteGuard = { kind: "call", ...open };
/** Browsers come back to it from the provider's site. */
const page: RouteGuard = { kind: "page", ...open };

/** The addresses of Argo CD's server for single sign-on (server/server.go registerDexHandlers). */
export function mountSso(app: FastifyInstance, { sso, proxies, place, log, signal }: Needs): void {
  const { base } = place;
  const askedBy = (request: FastifyRequest): Asked => ({ ...callerOf(request, proxies), base });
  app.get("/auth/login", { config: { guard: call } }, async (request, reply) => {
    const query = new URLSearchParams(queryOf(request));
    const { page: secret } = shownBy(request.headers);
    const returnUrl = query.get("return_url") ?? "";
    // A session is bound to the page that begins it, so that a page begins it: no other site by a link.
    if (secret === undefined && String(request.headers.accept ?? "").includes("text/html"))
      return redirect(
        reply,
        `${base}/login?${new URLSearchParams({ return: withoutBase(returnUrl, base) })}`,
      );
    const asked = askedBy(request);
    const { location, cookie, cookieSeconds, isSecure } = await sso.begin({ returnUrl, page: secret, asked });
    reply.header("set-cookie", stateCookieText(cookie, { seconds: cookieSeconds, isSecure, base }));
    return secret === undefined ? redirect(reply, location) : reply.send({ location });
  });
  app.get("/auth/callback", { config: { guard: page } }, async (request, reply) => {
    const cookie = cookieOf(request.headers.cookie, stateCookie);
    const { headers } = request;
    const caller = callerOf(request, proxies);
    try {
      const done = await sso.finish({ query: new URLSearchParams(queryOf(request)), cookie }, signal);
      const isSecure = done.isSecure || caller.isSecure;
      reply.header("set-cookie", [
        stateCookieText("", { seconds: 0, isSecure, base }),
        ...tokenCookies(done.token, { headers, caller: { isSecure }, place }),
      ]);
      return redirect(reply, done.location);
    } catch (error) {
      log.warn({ err: error, address: caller.address }, "login by the identity provider failed");
      throw error;
    }
  });
  app.get("/auth/logout", { config: { guard: call } }, async (request, reply) => {
    const asked = askedBy(request);
    const site = request.headers["sec-fetch-site"];
    // A link of another site logs nobody out.
    if (site === "cross-site" || site === "same-site") return redirect(reply, `${base}/`);
    const location = await sso.logOut(readTokenCookies(request.headers.cookie), asked);
    reply.header("set-cookie", tokenCookies("", { headers: request.headers, caller: asked, place }));
    return redirect(reply, location);
  });
}

/** The page's own paths have no base. */
function withoutBase(url: string, base: string): string {
  return url.startsWith(`${base}/`) ? url.slice(base.length) : url;
}

function redirect(reply: FastifyReply, location: string): FastifyReply {
  return reply
    .code(303)
    .header("location", location)
    .header("cache-control", "no-store")
    .header("referrer-policy", "no-referrer")
    .send();
}

function stateCookieText(
  value: string,
  { seconds, isSecure, base }: { seconds: number; isSecure: boolean; base: string },
): string {
  const attributes = `; Path=${base}/auth; Max-Age=${seconds}; SameSite=Lax; HttpOnly${isSecure ? "; Secure" : ""}`;
  return `${stateCookie}=${value}${attributes}`;
}
