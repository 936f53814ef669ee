import type { Clock } from "@capstan/flow";
import { CapstanError, messageOf } from "@capstan/model";
import { type Calls, RpcError } from "@capstan/plugin-kit/grpc";
import type { reposerver } from "@capstan/wire/repo-protocols";

type Service = Calls<typeof reposerver.RepoServerService>;

interface Options {
  readonly service: Service;
  /** HOST:PORT, for errors. */
  readonly address: string;
  readonly clock: Clock;
  /** A call that takes longer is given up; milliseconds. */
  readonly timeoutMs: number;
}

/** google.golang.org/grpc/codes that mean something of their own here. */
const codes = {
  cancelled: 1,
  deadlineExceeded: 4,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;
/** Of what it says of a failure: it stands in conditions of Applications. */
const maxProblem = 4_096;

/** Argo CD's repo server, and how its failures are told: with its address, and what can be done. */
export class ForeignRemote {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  async ask<Answer>(
    signal: AbortSignal,
    call: (service: Service, options: { signal: AbortSignal; deadline: number }) => Promise<Answer>,
  ): Promise<Answer> {
    const { service, clock, timeoutMs } = this.#options;
    try {
      return await call(service, { signal, deadline: clock.now() + timeoutMs });
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof RpcError ? this.#failureOf(error) : error;
    }
  }

  #failureOf(error: RpcError): CapstanError {
    const { address, timeoutMs } = this.#options;
    const what = `Argo CD's repo server ${address}`;
    const said = messageOf(error).slice(0, maxProblem);
    switch (error.code) {
      case codes.deadlineExceeded: {
        const limited = `${what} (--repo-server-timeout-seconds)`;
        return new CapstanError({ code: "TIMED_OUT", what: limited, afterMs: timeoutMs }, error);
      }
      case codes.cancelled:
      case codes.unavailable:
        return new CapstanError({ code: "UNAVAILABLE", what, problem: said }, error);
      case codes.resourceExhausted: {
        const problem = `${said}: ARGOCD_GRPC_MAX_SIZE_MB is the limit of a message`;
        return new CapstanError({ code: "FAILED_PRECONDITION", what, problem }, error);
      }
      case codes.unimplemented:
        return new CapstanError({ code: "UNIMPLEMENTED", what: `this, by ${what},` }, error);
      case codes.internal: {
        const problem = `${said}: see its log, and whether --repo-server names the right program`;
        return new CapstanError({ code: "FAILED_PRECONDITION", what, problem }, error);
      }
      default:
        return new CapstanError({ code: "FAILED_PRECONDITION", what, problem: said }, error);
    }
  }
}
