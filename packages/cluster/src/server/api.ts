import type { World } from "../objects/world.ts";
import type { Rbac } from "../security/rbac.ts";
import type { TokenIssuer } from "../security/tokens.ts";
import type { PodSession, WantedStreams } from "../streams/session.ts";

export interface PodSessionRequest extends WantedStreams {
  subresource: "exec" | "attach" | "portforward";
  namespace: string;
  name: string;
  container?: string;
  command: readonly string[];
}

export interface PodLogRequest {
  namespace: string;
  name: string;
  container?: string;
  follow: boolean;
  timestamps: boolean;
  previous: boolean;
  tailLines?: number;
  sinceSeconds?: number;
  sinceTime?: string;
  limitBytes?: number;
  signal: AbortSignal;
}

/** What the request handlers need beyond objects. */
export interface Api extends World {
  readonly tokens: TokenIssuer;
  readonly rbac: Rbac;
  /** Throws where the Pod has nothing that would answer. */
  openPodSession(request: PodSessionRequest): PodSession;
  podLog(request: PodLogRequest): string | AsyncIterable<string>;
}
