import { isRecord } from "@capstan/formats";
import { listAt, recordAt, textAt } from "../read-json.ts";

export interface KubeCause {
  reason: string;
  field: string;
  message: string;
}

interface KubeFailure {
  code: number;
  reason: string;
  message: string;
  causes?: readonly KubeCause[];
  retryAfterSeconds?: number;
}

/** A refusal by an API server, as its metav1.Status says it. */
export class KubeError extends Error {
  override readonly name = "KubeError";
  readonly code: number;
  /** NotFound, AlreadyExists, Conflict, Invalid, Forbidden, Expired, … */
  readonly reason: string;
  readonly causes: readonly KubeCause[];
  readonly retryAfterMs: number | undefined;
  constructor({ code, reason, message, causes = [], retryAfterSeconds }: KubeFailure) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.causes = causes;
    this.retryAfterMs = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000;
  }
}

/** Turns an answer outside 2xx (or the object of an ERROR watch event) into an error. */
export function kubeErrorOf(code: number, body: unknown): KubeError {
  if (!isRecord(body) || body.kind !== "Status") {
    const text = typeof body === "string" ? body.trim().slice(0, 300) : "";
    return new KubeError({
      code,
      reason: reasonOf(code),
      message: text || `the API server answered ${code}`,
    });
  }
  const details = recordAt(body, "details");
  const causes = listAt(details, "causes")
    .filter(isRecord)
    .map((cause) => ({
      reason: textAt(cause, "reason") ?? "",
      field: textAt(cause, "field") ?? "",
      message: textAt(cause, "message") ?? "",
    }));
  const retry = details.retryAfterSeconds;
  const status = body.code;
  return new KubeError({
    code: typeof status === "number" ? status : code,
    reason: textAt(body, "reason") || reasonOf(code),
    message: textAt(body, "message") || `the API server answered ${code}`,
    causes,
    ...(typeof retry === "number" ? { retryAfterSeconds: retry } : {}),
  });
}

function reasonOf(code: number): string {
  const reasons: Record<number, string> = {
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    409: "Conflict",
    410: "Expired",
    422: "Invalid",
    429: "TooManyRequests",
    503: "ServiceUnavailable",
  };
  return reasons[code] ?? "Unknown";
}

export function isNotFound(error: unknown): boolean {
  return error instanceof KubeError && error.code === 404;
}

export function isConflict(error: unknown): boolean {
  return error instanceof KubeError && error.code === 409 && error.reason === "Conflict";
}

export function isAlreadyExists(error: unknown): boolean {
  return error instanceof KubeError && error.reason === "AlreadyExists";
}

export function isForbidden(error: unknown): boolean {
  return error instanceof KubeError && error.code === 403;
}

/** The object is more than the API server, or what it stores into, takes at once. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof KubeError && (error.code === 413 || /request is too large/.test(error.message));
}

/** The watch or page asked for something that the server no longer remembers. */
export function isExpired(error: unknown): boolean {
  return error instanceof KubeError && (error.code === 410 || error.reason === "Expired");
}
