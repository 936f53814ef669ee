import { listAt, textAt } from "../payload.ts";
import { headerOf, type WebhookProvider } from "../push-event.ts";
import { isSigned } from "../signatures.ts";

export const bitbucketServer: WebhookProvider = {
  name: "Bitbucket Server",
  recognises: (headers) => headerOf(headers, "x-event-key") !== undefined,
  isGenuine({ headers, body }, { bitbucketServer: secret }) {
    return !secret || isSigned(body, secret, headerOf(headers, "x-hub-signature"));
  },
  read(payload, headers) {
    if (headerOf(headers, "x-event-key") !== "repo:refs_changed") return undefined;
    const ref = textAt(payload, "changes", 0, "ref", "id") ?? textAt(payload, "changes", 0, "refId");
    if (ref === undefined) return undefined;
    const links = [
      ...listAt(payload, "repository", "links", "clone"),
      ...listAt(payload, "repository", "links", "self"),
    ];
    return {
      urls: links.map((link) => textAt(link, "href")).filter((url) => url !== undefined),
      ref,
      // The payload does not name the default branch; every push may be one to it, as in Argo CD.
      touchedHead: true,
      changedFiles: undefined,
    };
  },
};
