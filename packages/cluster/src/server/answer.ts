import { stringifyJson } from "@capstan/formats";
import { dump } from "js-yaml";
import type { ApiError, ApiResponse } from "../types.ts";

export function answerJson(value: unknown, status = 200): ApiResponse {
  return answerText(stringifyJson(value), status);
}

export function answerText(text: string, status = 200, type = "application/json"): ApiResponse {
  return { status, headers: { "content-type": type, "cache-control": "no-cache, private" }, body: text };
}

export function answerYaml(value: unknown, status: number): ApiResponse {
  return answerText(dump(value, { noRefs: true, lineWidth: -1, sortKeys: true }), status, "application/yaml");
}

/** metav1.Status of a failure. */
export function answerFailure(error: ApiError): ApiResponse {
  const { code, reason, message, details } = error;
  const response = answerJson(
    {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      ...(reason && { reason }),
      ...(details && { details }),
      code,
    },
    code,
  );
  if (details?.retryAfterSeconds !== undefined)
    response.headers["retry-after"] = String(details.retryAfterSeconds);
  return response;
}

/** What the kubernetes mux answers where no API lives. */
export function answerNoPage(): ApiResponse {
  return answerText("404 page not found\n", 404, "text/plain; charset=utf-8");
}
