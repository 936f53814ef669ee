/** A request that the server refused or that never reached it. The text names the request, to be shown as is. */
export class RequestFailure extends Error {
  override readonly name = "RequestFailure";
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly request: string;
  constructor(facts: { status: number; request: string; message: string; cause?: unknown }) {
    super(facts.message, { cause: facts.cause });
    this.status = facts.status;
    this.request = facts.request;
  }
}

/** The same as plain values, which go from a worker to its windows. */
export interface FailureFacts {
  readonly status: number;
  readonly request: string;
  readonly message: string;
}

/** What is no refusal came of the connection. */
export function factsOf(failure: unknown): FailureFacts {
  if (failure instanceof RequestFailure) {
    const { status, request, message } = failure;
    return { status, request, message };
  }
  return { status: 0, request: "", message: failure instanceof Error ? failure.message : String(failure) };
}

export function unreachable(request: string, cause: unknown): RequestFailure {
  return new RequestFailure({ status: 0, request, message: "The server cannot be reached.", cause });
}

export async function refusal(response: Response, request: string): Promise<RequestFailure> {
  const text = await response.text();
  return new RequestFailure({
    status: response.status,
    request,
    message: messageOf(text) ?? `The server answered ${response.status} ${response.statusText}.`.trim(),
  });
}

/** grpc-gateway puts the sentence into `message`, older versions into `error`. */
function messageOf(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== "object" || body === null) return undefined;
    if ("message" in body && typeof body.message === "string" && body.message !== "") return body.message;
    if ("error" in body && typeof body.error === "string" && body.error !== "") return body.error;
  } catch {
    return undefined;
  }
  return undefined;
}
