import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createAuthority, createServerCertificate } from "@capstan/cluster/certificates";

/** A listener on a free port of the loopback. */
export interface LoopbackServer extends AsyncDisposable {
  readonly url: string;
  /** PEM of the authority that clients have to trust; empty without TLS. */
  readonly certificateAuthority: string;
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface LoopbackOptions {
  /** HTTPS, with an authority made for this one server. */
  readonly tls?: boolean;
  /** With `tls`: PEM of the one certificate that clients have to show. */
  readonly clientCertificate?: string;
}

export interface ServerKeys {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** A certificate for the loopback, from an authority that nobody trusts yet. */
export function createServerKeys(): ServerKeys {
  const now = Date.now();
  const authority = createAuthority("Capstan testkit", now);
  const names = { commonName: "localhost", names: ["localhost", "127.0.0.1", "::1"] };
  const { certificate, key } = createServerCertificate(authority, names, now);
  return { authority: authority.certificate, certificate, key };
}

export async function startLoopbackServer(
  listener: RequestListener,
  { tls = false, clientCertificate }: LoopbackOptions = {},
): Promise<LoopbackServer> {
  const keys = tls ? createServerKeys() : undefined;
  const required = clientCertificate && { requestCert: true, ca: [clientCertificate] };
  const server = keys
    ? createTlsServer({ cert: keys.certificate, key: keys.key, ...required }, listener)
    : createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the listener has no port");
  return {
    url: `${tls ? "https" : "http"}://127.0.0.1:${address.port}`,
    certificateAuthority: keys?.authority ?? "",
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, "close");
    },
  };
}

/** HTTP basic authentication (RFC 7617). */
export function isAuthorized(
  authorization: string | undefined,
  credentials: Credentials | undefined,
): boolean {
  if (credentials === undefined) return true;
  const pair = Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64");
  return authorization === `Basic ${pair}`;
}
