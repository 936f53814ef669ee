/** What templates printed, with the keys that it has there (notifications-engine pkg/services/services.go Notification). */
export interface Notification {
  /** Default "". */
  readonly message?: string;
  /** By the name of the webhook. */
  readonly webhook?: Readonly<Record<string, WebhookPart>>;
}

export interface WebhookPart {
  /** "" is GET. */
  readonly method: string;
  readonly body: string;
  /** Laid onto the service's address. */
  readonly path: string;
}
