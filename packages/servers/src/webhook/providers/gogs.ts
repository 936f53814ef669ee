import { readGithubPullRequest } from "../pull-requests.ts";
import { headerOf, type WebhookProvider } from "../push-event.ts";
import { signedBody } from "../signatures.ts";
import { readGithubPush } from "./github.ts";

/** Gogs, and Gitea and Forgejo, which send Gogs' headers beside their own. */
export const gogs: WebhookProvider = {
  name: "Gogs or Gitea",
  recognises: (headers) => eventOf(headers) !== undefined,
  secretKeys: ["gogs.secret"],
  proof: ({ gogs: secret }) =>
    secret
      ? signedBody(
          secret,
          (headers) => headerOf(headers, "x-gogs-signature") ?? headerOf(headers, "x-gitea-signature"),
        )
      : undefined,
  read: (payload, headers) => (eventOf(headers) === "push" ? readGithubPush(payload) : undefined),
  readPullRequest: (payload, headers) =>
    /^pull_request(?:_label|_sync)?$/.test(eventOf(headers) ?? "")
      ? readGithubPullRequest(payload, "gitea")
      : undefined,
};

function eventOf(headers: Parameters<WebhookProvider["recognises"]>[0]): string | undefined {
  return headerOf(headers, "x-gogs-event") ?? headerOf(headers, "x-gitea-event");
}
