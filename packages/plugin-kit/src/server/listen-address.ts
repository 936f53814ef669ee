import { CapstanError } from "@capstan/model";

/** An address as grpc-js wants it, from `spec.listenAddress`: host:port, :port, tcp://… or unix:///…. */
export function readListenAddress(text: string): { address: string; isSocket: boolean } {
  const socket = /^unix:(?:\/\/)?(\/.*)$/.exec(text)?.[1] ?? (text.startsWith("/") ? text : undefined);
  if (socket !== undefined) return { address: `unix://${socket}`, isSocket: true };
  const [, host, port] = /^(?:tcp:\/\/)?(\[[^\]]*\]|[^:[\]]*):(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || port === undefined || Number(port) > 65_535)
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field: "spec.listenAddress",
      problem: `"${text}" is no address; write HOST:PORT, :PORT or unix:///path/to.sock`,
    });
  return { address: `${host === "" ? "0.0.0.0" : host}:${port}`, isSocket: false };
}
