import { formatTime } from "@capstan/formats";
import { CapstanError, isCapstanError } from "@capstan/model";

/** An earlier failure told again: says so, and until when. */
export function cachedFailure(error: unknown, until: number): unknown {
  if (!isCapstanError(error)) return error;
  return new CapstanError({ ...error.failure, cachedUntil: formatTime(until) }, error);
}
