import type { Socket } from "node:net";
import { createSecureContext, createServer, type TLSSocket } from "node:tls";
import { connectionName } from "../limited-server.ts";

/** PEM texts. */
export interface KeyPair {
  certificate: string;
  key: string;
}

export interface ServerTlsNeeds {
  /** What the settings hold, and the Secret that it stands in. */
  settings: { readonly current: { readonly serverTls: (KeyPair & { from: string }) | undefined } };
  /** Makes a certificate and keeps it, where nobody gave one. */
  makeOwn(): Promise<KeyPair>;
  log: { warn(facts: object, message: string): void };
}

/** Takes a connection that begins with TLS; `give` gets it when the two have shaken hands. */
export type TakeTls = (socket: Socket, give: (secured: TLSSocket) => void) => Promise<void>;

const handshakeTimeout = 15_000;

/**
 * The listener's TLS: shows the certificate that the settings hold at that moment, else one of its own making. One that
 * cannot be read leaves the last good one in force.
 */
export function serveTls(needs: ServerTlsNeeds): TakeTls {
  const follow = followCertificate(needs);
  let shown: KeyPair | undefined;
  const tls = createServer({ handshakeTimeout, ALPNProtocols: ["h2", "http/1.1"], minVersion: "TLSv1.2" });
  // Ports are looked at by everybody: whoever cannot speak TLS is nobody's concern.
  tls.on("tlsClientError", (_error, socket) => socket.destroy());
  const waiting = new Map<string, (secured: TLSSocket) => void>();
  tls.on("secureConnection", (secured) => waiting.get(connectionName(secured))?.(secured));
  return async (socket, give) => {
    try {
      const pair = await follow();
      if (pair !== shown) tls.setSecureContext({ cert: pair.certificate, key: pair.key });
      shown = pair;
    } catch (error) {
      needs.log.warn({ err: error }, "TLS: no certificate can be shown");
      socket.destroy();
      return;
    }
    if (socket.destroyed) return;
    const name = connectionName(socket);
    waiting.set(name, give);
    socket.once("close", () => waiting.delete(name));
    tls.emit("connection", socket);
  };
}

/** The same object as long as it is the same pair, which is one. */
function followCertificate({ settings, makeOwn, log }: ServerTlsNeeds): () => Promise<KeyPair> {
  let good: KeyPair | undefined;
  let refused: KeyPair | undefined;
  let own: Promise<KeyPair> | undefined;
  return async () => {
    const given = settings.current.serverTls;
    if (given !== undefined && !isSame(given, refused)) {
      if (good && isSame(given, good)) return good;
      const problem = problemOf(given);
      if (problem === undefined) {
        good = given;
        return good;
      }
      refused = given;
      const instead = good ? "the last good certificate stays in force" : "one of our own is shown";
      log.warn(
        { err: problem, where: given.from },
        `${given.from}: tls.crt and tls.key are no pair: ${instead}`,
      );
    }
    if (good) return good;
    own ??= makeOwn().finally(() => {
      own = undefined;
    });
    good = await own;
    return good;
  };
}

function isSame({ certificate, key }: KeyPair, other: KeyPair | undefined): boolean {
  return certificate === other?.certificate && key === other.key;
}

function problemOf({ certificate, key }: KeyPair): unknown {
  try {
    createSecureContext({ cert: certificate, key });
    return undefined;
  } catch (error) {
    return error;
  }
}
