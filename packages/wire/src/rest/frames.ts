/** One line of a stream: a message, or the failure that ends it (grpc-gateway's ForwardResponseStream). */
export type StreamFrame<T> = { readonly result: T } | { readonly error: StreamError };

export interface StreamError {
  readonly grpc_code: number;
  readonly http_code: number;
  readonly message: string;
  readonly http_status: string;
}
