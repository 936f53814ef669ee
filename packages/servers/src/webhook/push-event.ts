import type { PullRequestEvent } from "./pull-requests.ts";

/** What a push says, whoever sent it. */
export interface PushEvent {
  /** Every address of the repository that the payload gives. */
  readonly urls: readonly string[];
  /** refs/heads/main, refs/tags/v1; a bare name stands for both. */
  readonly ref: string;
  /** Whether the default branch moved: applications without a revision follow it. */
  readonly touchedHead: boolean;
  /** Paths below the repository's root; undefined when the payload does not give all of them. */
  readonly changedFiles: readonly string[] | undefined;
  /** What the ref points to now, where the sender says it. */
  readonly revision?: string | undefined;
}

export interface WebhookRequest {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Keys of argocd-secret below `webhook.`; without any, nothing is checked. */
export interface WebhookSecrets {
  readonly github?: string | undefined;
  readonly gitlab?: string | undefined;
  readonly gogs?: string | undefined;
  readonly bitbucketUuid?: string | undefined;
  readonly bitbucketServer?: string | undefined;
  readonly azureUsername?: string | undefined;
  readonly azurePassword?: string | undefined;
}

export type WebhookProof =
  | { readonly by: "headers"; holds(headers: WebhookRequest["headers"]): boolean }
  | {
      readonly by: "body";
      isSigned(headers: WebhookRequest["headers"]): boolean;
      holds(request: WebhookRequest): boolean;
    };

export interface WebhookProvider {
  readonly name: string;
  recognises(headers: WebhookRequest["headers"]): boolean;
  /** Keys of argocd-secret below `webhook.` that prove this sender. */
  readonly secretKeys: readonly string[];
  /** How a message of this sender proves itself; undefined without a secret of its own. */
  proof(secrets: WebhookSecrets): WebhookProof | undefined;
  /** undefined: a genuine message of no interest, a ping for one. */
  read(payload: unknown, headers: WebhookRequest["headers"]): PushEvent | undefined;
  /** undefined: the message is about something else, or about what changes nothing for generators. */
  readPullRequest?(payload: unknown, headers: WebhookRequest["headers"]): PullRequestEvent | undefined;
  /** The image that a registry of this sender was pushed, HOST/PATH. */
  readImage?(payload: unknown, headers: WebhookRequest["headers"]): string | undefined;
}

export function headerOf(headers: WebhookRequest["headers"], name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
