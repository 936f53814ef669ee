import type { Labels } from "@capstan/formats";

/** One condition of a trigger (notifications-engine pkg/triggers Condition). */
export interface NotificationCondition {
  /** An expression of expr; "": it never holds. */
  readonly when: string;
  /** An expression by whose value it is told once; "": once each time that the condition begins to hold. */
  readonly oncePer: string;
  readonly description: string;
  /** Names of templates. */
  readonly send: readonly string[];
}

/** `service.<type>[.<name>]`, with secrets in place of the references to them. */
export interface ServiceSetting {
  readonly type: string;
  readonly name: string;
  readonly config: unknown;
  /** References to keys that argocd-notifications-secret lacks, as written. */
  readonly lacking: readonly string[];
}

/** Recipients that are told of every application that the selector selects. */
export interface GlobalSubscription {
  readonly recipients: readonly Destination[];
  /** Empty: the default triggers. */
  readonly triggers: readonly string[];
  readonly selects: (labels: Labels) => boolean;
}

export interface Destination {
  readonly service: string;
  readonly recipient: string;
}

/** What one key of argocd-notifications-cm says. */
export type NotificationEntry =
  | { readonly kind: "service"; readonly setting: ServiceSetting }
  | { readonly kind: "trigger"; readonly name: string; readonly conditions: readonly NotificationCondition[] }
  | {
      readonly kind: "template";
      readonly name: string;
      readonly template: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "subscriptions"; readonly subscriptions: readonly GlobalSubscription[] }
  | {
      readonly kind: "defaultTriggers";
      readonly service: string | undefined;
      readonly triggers: readonly string[];
    }
  | { readonly kind: "context"; readonly context: Readonly<Record<string, string>> };
