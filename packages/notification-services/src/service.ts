/**
 * The contract of notification services. Three steps: `compileTemplate` reads an entry `template.<name>`,
 * `NotificationTemplate.format` prints it for variables, `createService(…).send` delivers what was printed. Nothing
 * here decides whether or when something is sent, nor remembers that it was.
 */
import type { Clock } from "@capstan/flow";
import type { ProxyVariables } from "@capstan/outbound";
import type { Notification } from "./notification.ts";
import type { ServiceMemory } from "./service-memory.ts";

export interface ServiceRequest {
  /** As in `service.<type>`: slack, webhook, … */
  readonly type: string;
  /** As in `service.<type>.<name>`; default the type. By it a template's part for a webhook is found. */
  readonly name?: string | undefined;
  /** The entry's YAML, parsed, its `$secrets` replaced. */
  readonly config: unknown;
  readonly clock: Clock;
  /** Default false. A tenant wrote the entry: addresses of this machine, its files and its identities are refused. */
  readonly guarded?: boolean | undefined;
  /** Certificates to trust for a host, named without its port (argocd-tls-certs-cm), as PEM, in place of Node's. */
  readonly authoritiesOf?: ((host: string) => string | undefined) | undefined;
  /** The way to servers elsewhere. Default the straight one. */
  readonly proxy?: ProxyVariables | undefined;
  /** Of the process: where AWS and Google look for its identity. Default none; not looked at where guarded. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * What outlives a service: threads of Slack, tokens. One for as long as the process runs, for services that are
   * made anew whenever their entry changes. Default one that this service alone has.
   */
  readonly memory?: ServiceMemory | undefined;
}

export interface NotificationService {
  readonly type: string;
  readonly name: string;
  /** What of the entry has no effect, a line each, with the key. */
  readonly warnings: readonly string[];
  /** Resolves when the service has taken it. Rejects with SendError, or with the signal's reason. */
  send(notification: Notification, recipient: string, needs: { signal: AbortSignal }): Promise<void>;
}

/** An entry that cannot be used. `problems`: a line each, with the key. */
export class EntryError extends Error {
  override readonly name = "EntryError";
  readonly problems: readonly string[];

  constructor(entry: string, problems: readonly string[]) {
    super(`${entry}: ${problems.join("; ")}`);
    this.problems = problems;
  }
}

export interface SendFailure {
  /** The service's name. */
  readonly service: string;
  readonly recipient: string;
  /** What went wrong, without anything secret. */
  readonly problem: string;
  /** Of HTTP, where there was an answer. */
  readonly status?: number | undefined;
  /** False: it will fail again in the same way, and is not tried again (services.HandleSendError). Default true. */
  readonly mayRetry?: boolean | undefined;
}

/** Something was not sent. The message holds no secret of the entry. */
export class SendError extends Error {
  override readonly name = "SendError";
  readonly failure: SendFailure;

  constructor(failure: SendFailure) {
    const to = failure.recipient === "" ? "" : ` to ${failure.recipient}`;
    super(`${failure.service}${to}: ${failure.problem}`);
    this.failure = failure;
  }

  get mayRetry(): boolean {
    return this.failure.mayRetry ?? true;
  }
}
