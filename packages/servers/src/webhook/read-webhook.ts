import { parseBoundedJson } from "@capstan/formats";
import { azureDevops } from "./providers/azure-devops.ts";
import { bitbucketCloud } from "./providers/bitbucket-cloud.ts";
import { bitbucketServer } from "./providers/bitbucket-server.ts";
import { github } from "./providers/github.ts";
import { gitlab } from "./providers/gitlab.ts";
import { gogs } from "./providers/gogs.ts";
import type { PullRequestEvent } from "./pull-requests.ts";
import type {
  PushEvent,
  WebhookProof,
  WebhookProvider,
  WebhookRequest,
  WebhookSecrets,
} from "./push-event.ts";

/** The first that recognises the headers reads the message: Gitea also sends GitHub's, so it comes before. */
export const webhookProviders: readonly WebhookProvider[] = [
  azureDevops,
  gogs,
  github,
  gitlab,
  bitbucketCloud,
  bitbucketServer,
];

/** The largest message of somebody who has not proved to know the secret. */
export const maxUnprovenBytes = 5 * 1024 * 1024;

export interface WebhookRefusal {
  readonly kind: "refused";
  readonly status: 400 | 401 | 503;
  readonly message: string;
}

export interface WebhookAdmission {
  readonly kind: "admitted";
  readonly provider: WebhookProvider;
  readonly proof: WebhookProof | undefined;
  /** Bytes of the body. */
  readonly maxBytes: number;
}

export interface WebhookRules {
  readonly secrets: WebhookSecrets;
  /** webhook.maxPayloadSizeMB, in bytes. */
  readonly maxBytes: number;
}

/** What can be said of a message before its body is read: who sent it, and how much of it is read. */
export function admitWebhook(
  headers: WebhookRequest["headers"],
  { secrets, maxBytes }: WebhookRules,
): WebhookAdmission | WebhookRefusal {
  const provider = webhookProviders.find(({ recognises }) => recognises(headers));
  if (provider === undefined) {
    const known = webhookProviders.map(({ name }) => name).join(", ");
    return { kind: "refused", status: 400, message: `unknown webhook event: no header of ${known}` };
  }
  const proof = provider.proof(secrets);
  if (proof === undefined) {
    if (Object.values(secrets).some(Boolean)) return withoutSecret(provider);
    return { kind: "admitted", provider, proof, maxBytes: Math.min(maxBytes, maxUnprovenBytes) };
  }
  const mayBeGenuine = proof.by === "headers" ? proof.holds(headers) : proof.isSigned(headers);
  return mayBeGenuine ? { kind: "admitted", provider, proof, maxBytes } : notGenuine(provider);
}

function withoutSecret({ name, secretKeys }: WebhookProvider): WebhookRefusal {
  const keys = secretKeys.map((key) => `webhook.${key}`).join(" and ");
  return {
    kind: "refused",
    status: 401,
    message: `${name} webhook: argocd-secret holds secrets of other senders, so this one needs its own: set ${keys}`,
  };
}

function notGenuine({ name }: WebhookProvider): WebhookRefusal {
  return {
    kind: "refused",
    status: 401,
    message: `${name} webhook: its secret does not match the one in argocd-secret`,
  };
}

export type WebhookReading =
  | { kind: "push"; provider: string; event: PushEvent; isProven: boolean }
  | { kind: "pullRequest"; provider: string; event: PullRequestEvent }
  | { kind: "image"; provider: string; image: string }
  | { kind: "ignored"; provider: string }
  | WebhookRefusal;

export function readWebhook({ provider, proof }: WebhookAdmission, request: WebhookRequest): WebhookReading {
  if (proof?.by === "body" && !proof.holds(request)) return notGenuine(provider);
  const payload = parsePayload(request.body);
  if (payload === undefined)
    return { kind: "refused", status: 400, message: `${provider.name} webhook: the body is not JSON` };
  const image = provider.readImage?.(payload, request.headers);
  if (image !== undefined) return { kind: "image", provider: provider.name, image };
  const event = provider.read(payload, request.headers);
  if (event) return { kind: "push", provider: provider.name, event, isProven: proof !== undefined };
  const pull = provider.readPullRequest?.(payload, request.headers);
  return pull
    ? { kind: "pullRequest", provider: provider.name, event: pull }
    : { kind: "ignored", provider: provider.name };
}

function parsePayload(body: Buffer): unknown {
  try {
    return parseBoundedJson(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
