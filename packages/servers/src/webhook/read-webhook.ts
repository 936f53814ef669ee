import { azureDevops } from "./providers/azure-devops.ts";
import { bitbucketCloud } from "./providers/bitbucket-cloud.ts";
import { bitbucketServer } from "./providers/bitbucket-server.ts";
import { github } from "./providers/github.ts";
import { gitlab } from "./providers/gitlab.ts";
import { gogs } from "./providers/gogs.ts";
import type { PushEvent, WebhookProvider, WebhookRequest, WebhookSecrets } from "./push-event.ts";

/** The first that recognises the headers reads the message: Gitea also sends GitHub's, so it comes before. */
export const webhookProviders: readonly WebhookProvider[] = [
  azureDevops,
  gogs,
  github,
  gitlab,
  bitbucketCloud,
  bitbucketServer,
];

export type WebhookReading =
  | { kind: "push"; provider: string; event: PushEvent }
  | { kind: "ignored"; provider: string }
  | { kind: "refused"; status: 400 | 401; message: string };

export function readWebhook(request: WebhookRequest, secrets: WebhookSecrets): WebhookReading {
  const provider = webhookProviders.find(({ recognises }) => recognises(request.headers));
  if (provider === undefined)
    return {
      kind: "refused",
      status: 400,
      message: `unknown webhook event: no header of ${webhookProviders.map(({ name }) => name).join(", ")}`,
    };
  if (!provider.isGenuine(request, secrets))
    return {
      kind: "refused",
      status: 401,
      message: `${provider.name} webhook: its secret does not match the one in argocd-secret`,
    };
  const payload = parsePayload(request.body);
  if (payload === undefined)
    return { kind: "refused", status: 400, message: `${provider.name} webhook: the body is not JSON` };
  const event = provider.read(payload, request.headers);
  return event
    ? { kind: "push", provider: provider.name, event }
    : { kind: "ignored", provider: provider.name };
}

function parsePayload(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
