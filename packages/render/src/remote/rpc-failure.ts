import { CapstanError, isCapstanError, messageOf } from "@capstan/model";

/** google.golang.org/grpc/codes that mean something of their own here. */
const codes = { deadlineExceeded: 4, resourceExhausted: 8, unimplemented: 12, unavailable: 14 } as const;

export interface CallFacts {
  plugin: string;
  address: string;
  timeoutMs: number;
}

/** A failed call in our words; the signal's reason and failures of this side pass unchanged. */
export function readRpcFailure(error: unknown, { plugin, address, timeoutMs }: CallFacts): unknown {
  if (isCapstanError(error)) return error;
  const code = rpcCodeOf(error);
  if (code === undefined) return error;
  const problem = messageOf(error);
  if (code === codes.unavailable)
    return new CapstanError({ code: "PLUGIN_UNREACHABLE", plugin, address, problem }, error);
  if (code === codes.deadlineExceeded)
    return new CapstanError({ code: "TIMED_OUT", what: `plugin ${plugin}`, afterMs: timeoutMs }, error);
  return new CapstanError({ code: "PLUGIN_FAILED", plugin, problem }, error);
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
