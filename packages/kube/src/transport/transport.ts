import type { OpenSocket } from "./open-socket.ts";

/** A request to a cluster. `url` is path and query; header names are lower-case. */
export interface KubeRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  signal: AbortSignal;
}

/** `body` is a whole text, or pieces of text for watches and followed logs. */
export interface KubeResponse {
  status: number;
  headers: Record<string, string>;
  body: string | AsyncIterable<string>;
}

/** How requests reach a cluster: over HTTPS, or by calling the embedded cluster in the same process. */
export interface Transport {
  (request: KubeRequest): Promise<KubeResponse>;
  /** Absent where there are only requests and answers. */
  readonly openSocket?: OpenSocket;
}

/** True for requests whose answer goes on until someone ends it. */
export function isStreaming(url: string): boolean {
  if (!/[?&](?:watch|follow)=/.test(url)) return false;
  const parameters = new URLSearchParams(url.slice(url.indexOf("?") + 1));
  return isTrue(parameters.get("watch")) || isTrue(parameters.get("follow"));
}

function isTrue(value: string | null): boolean {
  return value === "true" || value === "1";
}
