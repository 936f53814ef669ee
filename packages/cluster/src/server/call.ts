import type { Served } from "../registry/served.ts";
import type { User } from "../security/user.ts";
import type { ApiRequest } from "../types.ts";
import type { WebhookAnswers } from "../webhooks/answers.ts";
import type { Representation } from "./negotiate.ts";

/** One request, with its path and query read. */
export interface Call {
  readonly request: ApiRequest;
  readonly user: User;
  readonly path: string;
  readonly query: URLSearchParams;
}

/** A call for a resource. `name` is "" for a collection, `namespace` "" for all of them or where there are none. */
export interface ResourceCall extends Call {
  readonly served: Served;
  /** As it was authorised. */
  readonly verb: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly representation: Representation;
  /** What the client is warned of, whatever becomes of the request. */
  readonly notices: string[];
  /** What webhooks have answered in this request. */
  readonly answers: WebhookAnswers;
  readonly identity: { uid?: string; name?: string };
}
