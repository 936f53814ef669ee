/** What templates printed, with the keys that it has there (notifications-engine pkg/services/services.go Notification). */
export interface Notification {
  /** Default "". */
  readonly message?: string;
  readonly alertmanager?: AlertmanagerPart;
  readonly awssqs?: AwsSqsPart;
  readonly email?: EmailPart;
  readonly gcppubsub?: GcpPubsubPart;
  readonly github?: GithubPart;
  readonly googlechat?: GoogleChatPart;
  readonly mattermost?: AttachmentsPart;
  readonly newrelic?: NewrelicPart;
  readonly opsgenie?: OpsgeniePart;
  readonly pagerduty?: PagerDutyPart;
  readonly pagerdutyv2?: PagerDutyV2Part;
  readonly rocketchat?: AttachmentsPart;
  readonly slack?: SlackPart;
  readonly teams?: TeamsPart;
  readonly "teams-workflows"?: TeamsWorkflowsPart;
  /** By the name of the webhook. */
  readonly webhook?: Readonly<Record<string, WebhookPart>>;
}

type Texts = Readonly<Record<string, string>>;

export interface AlertmanagerPart {
  readonly labels: Texts;
  readonly annotations: Texts;
  readonly generatorURL: string;
}

export interface AwsSqsPart {
  readonly messageAttributes: Texts;
  readonly messageGroupId: string;
}

export interface EmailPart {
  readonly subject: string;
  readonly body: string;
}

export interface GcpPubsubPart {
  readonly attributes: Texts;
}

export interface GithubPart {
  readonly repoURL: string;
  readonly revision: string;
  readonly status?: { readonly state: string; readonly label: string; readonly targetURL: string };
  readonly deployment?: GithubDeployment;
  readonly pullRequestComment?: { readonly content: string; readonly commentTag: string };
  readonly checkRun?: GithubCheckRun;
  readonly repositoryDispatch?: { readonly event_type: string; readonly client_payload: string };
}

export interface GithubDeployment {
  readonly state: string;
  readonly environment: string;
  readonly environmentURL: string;
  readonly logURL: string;
  readonly requiredContexts: readonly string[] | undefined;
  readonly autoMerge: boolean;
  readonly transientEnvironment: boolean;
  readonly reference: string;
}

export interface GithubCheckRun {
  readonly name: string;
  readonly details_url: string;
  readonly status: string;
  readonly conclusion: string;
  /** RFC 3339. */
  readonly started_at: string;
  /** RFC 3339. */
  readonly completed_at: string;
  readonly output?: { readonly title: string; readonly summary: string; readonly text: string };
}

export interface GoogleChatPart {
  /** YAML. */
  readonly cards: string;
  /** YAML. */
  readonly cardsV2: string;
  readonly threadKey: string;
}

export interface AttachmentsPart {
  /** JSON. */
  readonly attachments: string;
}

export interface NewrelicPart {
  readonly revision: string;
  readonly changelog: string;
  readonly description: string;
  readonly user: string;
}

export interface OpsgeniePart {
  readonly description: string;
  readonly priority: string;
  readonly alias: string;
  readonly note: string;
  readonly entity: string;
  readonly user: string;
  readonly actions?: readonly string[];
  readonly tags?: readonly string[];
  readonly details?: Texts;
  readonly visibleTo?: readonly OpsgenieResponder[];
}

export interface OpsgenieResponder {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly username: string;
}

export interface PagerDutyPart {
  readonly title: string;
  readonly body: string;
  readonly urgency: string;
  readonly priorityId: string;
}

export interface PagerDutyV2Part {
  readonly summary: string;
  readonly severity: string;
  readonly source: string;
  readonly component: string;
  readonly group: string;
  readonly class: string;
  readonly url: string;
  readonly dedupKey: string;
}

export interface SlackPart {
  readonly username: string;
  readonly icon: string;
  /** JSON. */
  readonly attachments: string;
  /** JSON. */
  readonly blocks: string;
  readonly groupingKey: string;
  readonly notifyBroadcast: boolean;
  readonly deliveryPolicy: DeliveryPolicy;
}

export type DeliveryPolicy = "Post" | "PostAndUpdate" | "Update";

export interface TeamsPart {
  /** JSON of the whole message. */
  readonly template: string;
  readonly title: string;
  readonly summary: string;
  readonly text: string;
  readonly themeColor: string;
  /** JSON, as the two that follow. */
  readonly facts: string;
  readonly sections: string;
  readonly potentialAction: string;
}

export interface TeamsWorkflowsPart extends TeamsPart {
  /** JSON. */
  readonly adaptiveCard: string;
}

export interface WebhookPart {
  /** "" is GET. */
  readonly method: string;
  readonly body: string;
  /** Laid onto the service's address. */
  readonly path: string;
}
