import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { CapstanError, messageOf } from "@capstan/model";
import type { Changing } from "./repo-port.ts";
import { ownProtocol } from "./repo-port.ts";
import { showToken } from "./shared-token.ts";

/** How callers are known to repo servers, and these to them; PEM texts. */
export interface RepoIdentity {
  readonly token?: string;
  /** Of the server's certificate; without one the token vouches for the server. */
  readonly authority?: string;
  readonly certificate?: { readonly certificate: string; readonly key: string };
}

/** Where one listens: `address` is what its host's name stands for now. */
export interface RepoEndpoint {
  readonly host: string;
  readonly address: string;
  readonly port: number;
}

const dialMs = 10_000;

/** A connection on which both sides know each other. */
export async function dialRepo(
  { host, address, port }: RepoEndpoint,
  identity: Pick<Changing<RepoIdentity>, "current">,
  signal: AbortSignal,
): Promise<Duplex> {
  const { token, authority, certificate } = identity.current();
  const limited = AbortSignal.any([signal, AbortSignal.timeout(dialMs)]);
  const options: ConnectionOptions = {
    ...{ host: address, port, minVersion: "TLSv1.3", ALPNProtocols: [ownProtocol] },
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(authority === undefined ? { rejectUnauthorized: false } : { ca: authority }),
    ...(certificate ? { cert: certificate.certificate, key: certificate.key } : {}),
  };
  const socket = await connected(connect(options), limited);
  try {
    if (socket.alpnProtocol !== ownProtocol)
      throw new Error(`what listens there is no repo server of Capstan, or of another version`);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 15_000);
    await showToken(socket, token, limited);
    return socket;
  } catch (error) {
    socket.destroy();
    throw asUnavailable(error, `${host}:${port}`);
  }
}

function connected(socket: TLSSocket, signal: AbortSignal): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      socket.destroy();
      reject(asUnavailable(error, socket.remoteAddress ?? ""));
    };
    const leave = (): void => fail(signal.reason);
    socket.once("error", fail);
    signal.addEventListener("abort", leave, { once: true });
    socket.once("secureConnect", () => {
      socket.off("error", fail).on("error", () => undefined); // whoever uses it hears of its end
      signal.removeEventListener("abort", leave);
      resolve(socket);
    });
  });
}

function asUnavailable(error: unknown, where: string): CapstanError {
  if (error instanceof CapstanError) return error;
  const problem = `${where === "" ? "" : `${where}: `}${messageOf(error)}`;
  return new CapstanError({ code: "UNAVAILABLE", what: "the repo server", problem }, error);
}
