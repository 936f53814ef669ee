import { isCapstanError, messageOf } from "@capstan/model";
import { type ErrorBody, type StreamError, UnreadableRequest } from "@capstan/wire";
import { type Status, statusOf } from "@capstan/wire/status";

export interface Refusal {
  status: Status;
  body: ErrorBody;
}

/** Causes stay here; what is not one of our failures says nothing of itself to the caller. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof UnreadableRequest) return refusal(statusOf("INVALID_ARGUMENT"), error.message);
  if (isCapstanError(error)) return refusal(statusOf(error.code), error.message);
  const http = httpStatusOf(error);
  if (http !== undefined) return refusal({ grpc: 3, http }, messageOf(error));
  return refusal(statusOf("INTERNAL"), "internal error: see the server's log");
}

export function refusal(status: Status, message: string): Refusal {
  return { status, body: { error: message, code: status.grpc, message } };
}

export function streamErrorOf(error: unknown): StreamError {
  const { status, body } = refusalOf(error);
  return {
    grpc_code: status.grpc,
    http_code: status.http,
    message: body.message,
    http_status: String(status.http),
  };
}

/** Fastify's own refusals: a body too large, JSON that cannot be read. */
function httpStatusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("statusCode" in error)) return undefined;
  const { statusCode } = error;
  return typeof statusCode === "number" && statusCode >= 400 && statusCode < 500 ? statusCode : undefined;
}
