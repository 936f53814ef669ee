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
}

export interface WebhookRequest {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Keys of argocd-secret below `webhook.`; absent ones mean that nothing is checked. */
export interface WebhookSecrets {
  readonly github?: string | undefined;
  readonly gitlab?: string | undefined;
  readonly gogs?: string | undefined;
  readonly bitbucketUuid?: string | undefined;
  readonly bitbucketServer?: string | undefined;
  readonly azureUsername?: string | undefined;
  readonly azurePassword?: string | undefined;
}

export interface WebhookProvider {
  readonly name: string;
  recognises(headers: WebhookRequest["headers"]): boolean;
  isGenuine(request: WebhookRequest, secrets: WebhookSecrets): boolean;
  /** undefined: a genuine message of no interest, a ping for one. */
  read(payload: unknown, headers: WebhookRequest["headers"]): PushEvent | undefined;
}

export function headerOf(headers: WebhookRequest["headers"], name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
