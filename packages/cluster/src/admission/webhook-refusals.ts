import { type JsonObject, numberAt, textAt } from "../schema/json.ts";
import { ApiError } from "../types.ts";

/** apiserver pkg/admission/plugin/webhook/errors ToStatusErr */
export function denied(name: string, status: JsonObject | undefined): ApiError {
  const by = `admission webhook ${JSON.stringify(name)} denied the request`;
  const message = textAt(status, "message");
  const reason = textAt(status, "reason");
  const why = message || reason;
  const code = numberAt(status, "code") ?? 0;
  return new ApiError(Math.max(400, code), reason, why ? `${by}: ${why}` : `${by} without explanation`);
}

export function internal(cause: string): ApiError {
  return new ApiError(500, "InternalError", `Internal error occurred: ${cause}`, {
    causes: [{ message: cause }],
  });
}

export function dryRunUnsupported(name: string): ApiError {
  return new ApiError(
    400,
    "BadRequest",
    `admission webhook ${JSON.stringify(name)} does not support dry run`,
  );
}

export const failedCall = (name: string, why: string): string =>
  `failed calling webhook ${JSON.stringify(name)}: ${why}`;
