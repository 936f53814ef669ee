import { nameAt, namesAt, textAt } from "../payload.ts";
import { headerOf, type WebhookProvider } from "../push-event.ts";
import { isSameText } from "../signatures.ts";

/** applicationset/webhook azuredevopsAllowedPullRequestActions */
const pullRequestEvents = new Set([
  "git.pullrequest.created",
  "git.pullrequest.merged",
  "git.pullrequest.updated",
]);

export const azureDevops: WebhookProvider = {
  name: "Azure DevOps",
  recognises: (headers) => headerOf(headers, "x-vss-activityid") !== undefined,
  secretKeys: ["azuredevops.username", "azuredevops.password"],
  proof: ({ azureUsername, azurePassword }) => {
    if (!azureUsername && !azurePassword) return undefined;
    const expected = Buffer.from(`${azureUsername ?? ""}:${azurePassword ?? ""}`).toString("base64");
    return {
      by: "headers",
      holds: (headers) => isSameText(headerOf(headers, "authorization")?.replace(/^basic /i, ""), expected),
    };
  },
  readPullRequest(payload) {
    if (!pullRequestEvents.has(textAt(payload, "eventType") ?? "")) return undefined;
    const name = nameAt(payload, "resource", "repository", "name");
    const project = nameAt(payload, "resource", "repository", "project", "name");
    if (name === undefined || project === undefined) return undefined;
    return { provider: "azuredevops", host: undefined, names: [`${project}/${name}`] };
  },
  read(payload) {
    if (textAt(payload, "eventType") !== "git.push") return undefined;
    const ref = nameAt(payload, "resource", "refUpdates", 0, "name");
    if (ref === undefined) return undefined;
    const repository = ["resource", "repository"] as const;
    return {
      urls: namesAt(payload, [
        [...repository, "remoteUrl"],
        [...repository, "webUrl"],
        [...repository, "sshUrl"],
      ]),
      ref,
      touchedHead: textAt(payload, ...repository, "defaultBranch") === ref,
      changedFiles: undefined,
      revision: nameAt(payload, "resource", "refUpdates", 0, "newObjectId"),
    };
  },
};
