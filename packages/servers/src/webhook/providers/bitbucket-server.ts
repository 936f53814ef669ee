import { listAt, nameAt } from "../payload.ts";
import { headerOf, type WebhookProvider } from "../push-event.ts";
import { signedBody } from "../signatures.ts";

const maxLinks = 32;

export const bitbucketServer: WebhookProvider = {
  name: "Bitbucket Server",
  recognises: (headers) => headerOf(headers, "x-event-key") !== undefined,
  secretKeys: ["bitbucketserver.secret"],
  proof: ({ bitbucketServer: secret }) =>
    secret ? signedBody(secret, (headers) => headerOf(headers, "x-hub-signature")) : undefined,
  readPullRequest(payload, headers) {
    if (headerOf(headers, "x-event-key")?.startsWith("pr:") !== true) return undefined;
    const slug = nameAt(payload, "pullRequest", "toRef", "repository", "slug");
    const project = nameAt(payload, "pullRequest", "toRef", "repository", "project", "key");
    if (slug === undefined || project === undefined) return undefined;
    return { provider: "bitbucketServer", host: undefined, names: [`${project}/${slug}`] };
  },
  read(payload, headers) {
    if (headerOf(headers, "x-event-key") !== "repo:refs_changed") return undefined;
    const ref = nameAt(payload, "changes", 0, "ref", "id") ?? nameAt(payload, "changes", 0, "refId");
    if (ref === undefined) return undefined;
    const links = [
      ...listAt(payload, "repository", "links", "clone"),
      ...listAt(payload, "repository", "links", "self"),
    ].slice(0, maxLinks);
    return {
      urls: links.map((link) => nameAt(link, "href")).filter((url) => url !== undefined),
      ref,
      // The payload does not name the default branch; every push may be one to it, as in Argo CD.
      touchedHead: true,
      changedFiles: undefined,
    };
  },
};
