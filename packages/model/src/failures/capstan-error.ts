import { describeFailure } from "./describe-failure.ts";
import type { Failure, FailureCode } from "./failure.ts";

/** The one error that crosses packages; its message is derived from the failure. */
export class CapstanError extends Error {
  override readonly name = "CapstanError";
  readonly failure: Failure;

  constructor(failure: Failure, cause?: unknown) {
    super(describeFailure(failure), cause === undefined ? undefined : { cause });
    this.failure = failure;
  }

  get code(): FailureCode {
    return this.failure.code;
  }
}

/** Whether an error is ours, and of one of the codes if any are given. */
export function isCapstanError(error: unknown, ...codes: FailureCode[]): error is CapstanError {
  return error instanceof CapstanError && (codes.length === 0 || codes.includes(error.code));
}

/** The text of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
