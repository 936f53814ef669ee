import { textAt, textsAt } from "../payload.ts";
import { headerOf, type WebhookProvider } from "../push-event.ts";
import { isSameText } from "../signatures.ts";

export const azureDevops: WebhookProvider = {
  name: "Azure DevOps",
  recognises: (headers) => headerOf(headers, "x-vss-activityid") !== undefined,
  isGenuine({ headers }, { azureUsername, azurePassword }) {
    if (!azureUsername && !azurePassword) return true;
    const expected = Buffer.from(`${azureUsername ?? ""}:${azurePassword ?? ""}`).toString("base64");
    return isSameText(headerOf(headers, "authorization")?.replace(/^basic\s+/i, ""), expected);
  },
  read(payload) {
    if (textAt(payload, "eventType") !== "git.push") return undefined;
    const ref = textAt(payload, "resource", "refUpdates", 0, "name");
    if (ref === undefined) return undefined;
    const repository = ["resource", "repository"] as const;
    return {
      urls: textsAt(payload, [
        [...repository, "remoteUrl"],
        [...repository, "webUrl"],
        [...repository, "sshUrl"],
      ]),
      ref,
      touchedHead: textAt(payload, ...repository, "defaultBranch") === ref,
      changedFiles: undefined,
    };
  },
};
