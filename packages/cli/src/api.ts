import type { InOf, OutOf, RouteName, Routes } from "@capstan/wire";

/** The server's calls. */
export interface Api {
  readonly url: string;
  call<N extends RouteName>(
    name: N,
    request: InOf<Routes[N]>,
    signal?: AbortSignal,
  ): Promise<OutOf<Routes[N]>>;
  /** Settles once the server listens: what happens after that is in the stream. */
  stream<N extends RouteName>(
    name: N,
    request: InOf<Routes[N]>,
    signal: AbortSignal,
  ): Promise<AsyncIterable<OutOf<Routes[N]>>>;
}

/** A refusal by the server, with its gRPC code. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: number;
  readonly status: number;
  constructor(message: string, { code, status }: { code: number; status: number }) {
    super(message);
    this.code = code;
    this.status = status;
  }

  get isNotFound(): boolean {
    return this.code === 5;
  }
}
