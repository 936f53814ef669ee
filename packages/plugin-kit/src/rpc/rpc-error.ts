import { CapstanError, messageOf } from "@capstan/model";
import { statusOf } from "@capstan/wire/status";

/** A failed call, as both sides see it. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  /** Of google.golang.org/grpc/codes. */
  readonly code: number;

  constructor(code: number, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

const unknownCode = 2;

/** The status that tells a caller of an error. */
export function grpcStatusOf(error: unknown): { code: number; details: string } {
  const details = messageOf(error);
  if (error instanceof RpcError) return { code: error.code, details };
  if (error instanceof CapstanError) return { code: statusOf(error.code).grpc, details };
  return { code: unknownCode, details };
}
