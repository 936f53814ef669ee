/** A text as headers and trailers of gRPC have it (gRPC over HTTP/2, Percent-Encoded). */
export function rpcText(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll("%20", " ");
}
