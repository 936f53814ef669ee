import { createHash, timingSafeEqual } from "node:crypto";
import type { Duplex } from "node:stream";
import { tracedFrom } from "@capstan/flow";
import { type AroundCall, grpcService, RpcError, serveConnections } from "@capstan/plugin-kit/grpc";
import type { RepoServer } from "@capstan/wire";
import { reposerver } from "@capstan/wire/repo-protocols";
import { argocdRepoService } from "./service.ts";

interface Options {
  readonly repo: RepoServer;
  /** What callers send as `authorization: Bearer …` where their connection does not say who they are. */
  readonly token?: { current(): string };
  /** Nothing is asked of them. */
  readonly anyoneMayCall: boolean;
  /** ARGOCD_GRPC_MAX_SIZE_MB. */
  readonly maxMessageBytes: number;
  readonly log: {
    debug(facts: object, message: string): void;
    warn(facts: object, message: string): void;
  };
}

export interface ArgocdRepoConnections extends Disposable {
  take(connection: Duplex, caller: { isKnown: boolean }): void;
  /** Callers go elsewhere with their next calls; resolves when what was under way is answered. */
  drain(): Promise<void>;
}

const unauthenticated = 16;
/** As of Capstan's own callers. */
const drainMs = 90_000;

/** Argo CD's own protocol to its repo server, on connections that are accepted already. */
export function argocdRepoConnections(options: Options): ArgocdRepoConnections {
  const { repo, maxMessageBytes } = options;
  const serve = (isKnown: boolean) => {
    const around = aroundCalls(options, isKnown);
    return serveConnections([grpcService(reposerver.RepoServerService, argocdRepoService(repo), around)], {
      maxMessageBytes,
    });
  };
  const [known, unknown] = [serve(true), serve(options.anyoneMayCall)];
  return {
    take: (connection, { isKnown }) => (isKnown ? known : unknown).take(connection),
    async drain() {
      await Promise.all([known, unknown].map((one) => one.drain(drainMs)));
    },
    [Symbol.dispose]() {
      known.close();
      unknown.close();
    },
  };
}

function aroundCalls({ token, log }: Options, isKnown: boolean): AroundCall {
  return async ({ name: method }, call, work) => {
    if (!isKnown) requireToken(call.header("authorization"), token?.current());
    // Who may be anybody is not followed: he would name another's trace, or have all that he asks for followed.
    const trace = isKnown || token ? call.header("traceparent") : undefined;
    try {
      await (trace === undefined ? work() : tracedFrom(trace, { name: method }, work));
      log.debug({ method }, "call of Argo CD finished");
    } catch (error) {
      log.warn({ method, error }, "call of Argo CD failed");
      throw error;
    }
  };
}

function requireToken(header: string | undefined, token: string | undefined): void {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  if (token === undefined || !timingSafeEqual(digest(header ?? ""), digest(`Bearer ${token}`)))
    throw new RpcError(
      unauthenticated,
      "this repo server asks who calls: send its token as `authorization: Bearer …` or a certificate of its --client-ca; with --anyone-may-call it asks nobody",
    );
}
