/** A client that goes away halfway is its own affair. */
export function isDisconnect(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return ["ECONNRESET", "EPIPE", "ERR_STREAM_PREMATURE_CLOSE"].includes(String(error.code));
}
