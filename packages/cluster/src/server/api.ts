import type { World } from "../objects/world.ts";
import type { TokenIssuer } from "../security/tokens.ts";
import type { User } from "../security/user.ts";

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

export interface AccessRequest {
  user: User;
  verb: string;
  group: string;
  resource: string;
  subresource: string;
  namespace: string;
  name: string;
  /** For requests that name no resource. */
  path: string;
}

export interface Verdict {
  allowed: boolean;
  reason: string;
}

/** What the request handlers need beyond objects. */
export interface Api extends World {
  readonly tokens: TokenIssuer;
  authorize(request: AccessRequest): Verdict;
  podLog(request: PodLogRequest): string | AsyncIterable<string>;
}
