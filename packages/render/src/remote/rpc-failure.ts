import { CapstanError, isCapstanError, messageOf } from "@capstan/model";
import { BadAnswer } from "./bad-answer.ts";

/** google.golang.org/grpc/codes that mean something of their own here. */
const codes = { cancelled: 1, deadlineExceeded: 4, unimplemented: 12, unavailable: 14 } as const;
/** RESOURCE_EXHAUSTED, INTERNAL, DATA_LOSS: what came is no message, or too large for one. */
const badMessage: readonly number[] = [8, 13, 15];

/** Whether another server may do better. */
export function isServersFault(failure: unknown): boolean {
  return (
    isCapstanError(failure, "PLUGIN_UNREACHABLE") ||
    (isCapstanError(failure) && failure.cause instanceof BadAnswer)
  );
}

export interface CallFacts {
  plugin: string;
  address: string;
  timeoutMs: number;
  /** For its turn at the server. */
  waitedMs?: number;
  /** Until the call failed. */
  ranMs?: number;
}

/** What a stock server says of a command that it ended because the caller's time was over. */
const endedByDeadline = /signal: (?:terminated|killed)|context deadline exceeded/;
/** A server's clock and its answer's way. */
const nearlyMs = 500;

/** A failed call in our words; the signal's reason and failures of this side pass unchanged. */
export function readRpcFailure(
  error: unknown,
  { plugin, address, timeoutMs, waitedMs, ranMs = 0 }: CallFacts,
): unknown {
  if (isCapstanError(error)) return error;
  const code = rpcCodeOf(error);
  if (code === undefined) return error;
  const problem = withTlsReason(messageOf(error));
  // Cancelled, and not by us: the server stops.
  if (code === codes.unavailable || code === codes.cancelled)
    return new CapstanError({ code: "PLUGIN_UNREACHABLE", plugin, address, problem }, error);
  const isOver = ranMs > timeoutMs - nearlyMs && endedByDeadline.test(problem);
  if (code === codes.deadlineExceeded || isOver)
    return new CapstanError(
      {
        ...{ code: "TIMED_OUT", what: `plugin ${plugin}`, afterMs: timeoutMs },
        ...(waitedMs === undefined ? {} : { waitedMs }),
      },
      error,
    );
  const cause = badMessage.includes(code) ? new BadAnswer(problem, { cause: error }) : error;
  return new CapstanError({ code: "PLUGIN_FAILED", plugin, problem }, cause);
}

/** OpenSSL tells what is wrong with a certificate; here what to do about it. */
function withTlsReason(problem: string): string {
  if (/alert certificate required|alert bad certificate|alert unknown ca/.test(problem))
    return `it asks for a certificate of its authority, see docs/plugin-services.md (Certificates): ${problem}`;
  if (/certificate/i.test(problem)) return `its certificate is not accepted: ${problem}`;
  return problem;
}

/** The server does not know the method: it speaks the other protocol only. */
export function isUnimplemented(error: unknown): boolean {
  return rpcCodeOf(error) === codes.unimplemented;
}

/** What plugin-kit's RpcError holds; its class is not loaded where no plugin is called. */
function rpcCodeOf(error: unknown): number | undefined {
  return error instanceof Error &&
    error.name === "RpcError" &&
    "code" in error &&
    typeof error.code === "number"
    ? error.code
    : undefined;
}
