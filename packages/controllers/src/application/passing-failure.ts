import { type Failure, isCapstanError } from "@capstan/model";

/** What was away, of a failure that passes by itself; nothing of one that does not. */
export function passingFailure(error: unknown): string | undefined {
  return isCapstanError(error) ? whatWasAway(error.failure) : undefined;
}

function whatWasAway(failure: Failure): string | undefined {
  switch (failure.code) {
    case "REPOSITORY_UNREACHABLE":
      return `repository ${failure.repository} was out of reach`;
    case "PLUGIN_UNREACHABLE":
      return `plugin ${failure.plugin} did not answer`;
    case "UNAVAILABLE":
      return `${failure.what} was not available`;
    case "TIMED_OUT":
      return `${failure.what} took too long`;
    case "QUEUE_FULL":
      return `${failure.queue} was full`;
    default:
      return undefined;
  }
}
