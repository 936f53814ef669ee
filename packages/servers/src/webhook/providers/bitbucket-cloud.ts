import { nameAt, namesAt, textAt } from "../payload.ts";
import { headerOf, type WebhookProvider } from "../push-event.ts";
import { isSameText } from "../signatures.ts";

const refFolders: Record<string, string> = { tag: "refs/tags/", annotated_tag: "refs/tags/" };

export const bitbucketCloud: WebhookProvider = {
  name: "Bitbucket Cloud",
  recognises: (headers) => headerOf(headers, "x-hook-uuid") !== undefined,
  secretKeys: ["bitbucket.uuid"],
  proof: ({ bitbucketUuid: secret }) =>
    secret
      ? { by: "headers", holds: (headers) => isSameText(headerOf(headers, "x-hook-uuid"), secret) }
      : undefined,
  readPullRequest(payload, headers) {
    const name = nameAt(payload, "repository", "full_name");
    const isPull = headerOf(headers, "x-event-key")?.startsWith("pullrequest:") === true;
    return isPull && name !== undefined
      ? { provider: "bitbucket", host: undefined, names: [name] }
      : undefined;
  },
  read(payload, headers) {
    if (headerOf(headers, "x-event-key") !== "repo:push") return undefined;
    const state = ["push", "changes", 0, "new"] as const;
    const name = nameAt(payload, ...state, "name");
    if (name === undefined) return undefined;
    const fullName = nameAt(payload, "repository", "full_name");
    return {
      urls: [
        ...namesAt(payload, [["repository", "links", "html", "href"]]),
        ...(fullName === undefined ? [] : [`https://bitbucket.org/${fullName}`]),
      ],
      ref: `${refFolders[textAt(payload, ...state, "type") ?? ""] ?? "refs/heads/"}${name}`,
      // The payload does not name the default branch; every push may be one to it, as in Argo CD.
      touchedHead: true,
      changedFiles: undefined,
    };
  },
};
