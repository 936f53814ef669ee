import type { Duplex } from "node:stream";
import { createServer, type SecureContextOptions, type TLSSocket } from "node:tls";
import type { Clock } from "@capstan/flow";
import { CapstanError } from "@capstan/model";
import type { RepoServer } from "@capstan/wire";
import { listenOn } from "../listen-on.ts";
import { Peer } from "./peer.ts";
import { maxCalls, maxFrameBytes, type Told } from "./repo-calls.ts";
import { methodsOf } from "./repo-methods.ts";
import { checkToken } from "./shared-token.ts";

/** PEM texts. */
export interface PortTls {
  readonly certificate: string;
  readonly key: string;
  /** Callers must show a certificate of this authority. */
  readonly clientAuthority?: string;
}

/** A value that may change while it is used. */
export interface Changing<Value> {
  current(): Value;
  onChange(listener: () => void): () => void;
}

export interface RepoPortOptions {
  readonly repo: RepoServer;
  readonly tls: Changing<PortTls>;
  /** What callers must know, and know this server by. */
  readonly token?: Changing<string>;
  /** Of callers that speak gRPC (Argo CD's) nothing is asked. */
  readonly anyoneMayCall?: boolean;
  /** Takes connections that speak HTTP/2, with who they are known to be. */
  readonly otherwise?: (socket: Duplex, caller: { isKnown: boolean }) => void;
  readonly clock: Clock;
  readonly log: { warn(facts: object, message: string): void };
}

export interface RepoPort extends AsyncDisposable {
  readonly port: number;
  /** Callers go elsewhere with their next calls; resolves when what was under way is answered. */
  drain(): Promise<void>;
}

/** By ALPN (RFC 7301): ours, and gRPC. */
export const ownProtocol = "capstan-repo.v1";
const greetingMs = 10_000;
const maxConnections = 2_000;
/** What was under way when it is told to end may come to its end: a command of a plugin has as long. */
const [drainMs, drainLookMs] = [90_000, 50];

/** Refuses a port at which nobody is asked who he is: a caller names repositories with their credentials, and reads what is rendered. */
export function checkRepoCallers({
  tls,
  token,
  anyoneMayCall,
}: Pick<RepoPortOptions, "tls" | "token" | "anyoneMayCall">) {
  if (token !== undefined || tls.current().clientAuthority !== undefined || anyoneMayCall === true) return;
  throw new CapstanError({
    code: "FAILED_PRECONDITION",
    what: "the repo server's port",
    problem:
      "whoever reaches it could have any repository fetched and rendered, with the credentials that it keeps. Ask callers for a token (--token-file FILE) or a certificate (--client-ca FILE), or say --anyone-may-call where a network policy alone shall decide who may, as with Argo CD's own callers, which send neither",
  });
}

/** A repo server for callers on other machines, each of them known; over TLS 1.3 alone. */
export async function listenForRepoCalls(
  options: RepoPortOptions,
  address: { host: string; port: number },
): Promise<RepoPort> {
  checkRepoCallers(options);
  const { tls, otherwise } = options;
  const asks = tls.current().clientAuthority !== undefined;
  const server = createServer({
    ...contextOf(tls.current()),
    minVersion: "TLSv1.3",
    ALPNProtocols: [ownProtocol, ...(otherwise ? ["h2"] : [])],
    handshakeTimeout: greetingMs,
    ...(asks ? { requestCert: true, rejectUnauthorized: options.anyoneMayCall !== true } : {}),
  });
  server.maxConnections = maxConnections;
  const follow = tls.onChange(() => server.setSecureContext(contextOf(tls.current())));
  const served = new ServedCallers(options, asks);
  server.on("secureConnection", (socket) => {
    socket.on("error", () => undefined); // it has closed then
    socket.setNoDelay(true);
    if (socket.alpnProtocol === ownProtocol) void served.serve(socket);
    else if (otherwise && socket.alpnProtocol === "h2") otherwise(socket, { isKnown: socket.authorized });
    else socket.destroy();
  });
  const { port } = await listenOn(server, address);
  const drain = async (): Promise<void> => {
    server.close();
    await served.drain();
  };
  return {
    port,
    drain,
    async [Symbol.asyncDispose]() {
      follow();
      await drain();
    },
  };
}

function contextOf({ certificate, key, clientAuthority }: PortTls): SecureContextOptions {
  return { cert: certificate, key, ...(clientAuthority === undefined ? {} : { ca: clientAuthority }) };
}

/** Connections that speak Capstan's own protocol. */
class ServedCallers {
  readonly #options: RepoPortOptions;
  readonly #asksCertificate: boolean;
  readonly #peers = new Set<Peer>();

  constructor(options: RepoPortOptions, asksCertificate: boolean) {
    this.#options = options;
    this.#asksCertificate = asksCertificate;
  }

  async serve(socket: TLSSocket): Promise<void> {
    const { repo, token, log } = this.#options;
    try {
      if (token === undefined && !this.#asksCertificate)
        throw new Error("no token was given to it (--token-file)");
      if (this.#asksCertificate && !socket.authorized)
        throw new Error("its certificate is of no known authority");
      await checkToken(socket, token?.current(), AbortSignal.timeout(greetingMs));
    } catch (error) {
      log.warn({ from: socket.remoteAddress, error }, "a caller was sent away");
      socket.destroy();
      return;
    }
    const peer: Peer = new Peer(socket, {
      methods: methodsOf(Promise.resolve(repo)),
      told: { forget: ({ url }: Told["forget"]) => repo.forgetRevisions(url) },
      maxFrameBytes,
      maxCalls,
      lost: () => new CapstanError({ code: "UNAVAILABLE", what: "the caller", problem: "it has gone away" }),
      onEnd: () => this.#peers.delete(peer),
    });
    this.#peers.add(peer);
  }

  /** Callers go elsewhere with their next calls; what is under way is answered. */
  async drain(): Promise<void> {
    const { clock } = this.#options;
    for (const peer of this.#peers) peer.tell("leaving", {});
    const until = clock.now() + drainMs;
    const isBusy = (): boolean => [...this.#peers].some(({ busy }) => busy > 0);
    while (isBusy() && clock.now() < until) await clock.sleep(drainLookMs, new AbortController().signal);
    for (const peer of this.#peers) peer.close();
  }
}
