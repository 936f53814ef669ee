import { KubeError } from "@capstan/kube";
import { CapstanError, type Failure } from "@capstan/model";

/** A cluster's refusal as one of our failures; anything else as it is. */
export function translateKubeError(error: unknown): unknown {
  return error instanceof KubeError ? new CapstanError(failureOf(error), error) : error;
}

function failureOf({ code, reason, message, retryAfterMs }: KubeError): Failure {
  const what = "the cluster";
  if (reason === "AlreadyExists") return { code: "FAILED_PRECONDITION", what, problem: message };
  switch (code) {
    case 400:
    case 403:
    case 404:
    case 405:
    case 413:
    case 415:
    case 422:
      return { code: "REJECTED", what: "the request", problem: message };
    case 409:
      return { code: "CONFLICT", what: "the object", problem: message };
    case 410:
      return { code: "GONE", what: "the list" };
    case 429:
      return { code: "TOO_MANY_REQUESTS", what, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
    case 502:
    case 503:
    case 504:
      return { code: "UNAVAILABLE", what, problem: message };
    default:
      return { code: "INTERNAL", problem: `${what} answered ${code}: ${message}` };
  }
}
