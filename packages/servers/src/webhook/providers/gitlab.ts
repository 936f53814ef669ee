import { filesOf, listAt, nameAt, namesAt, shortRef, textAt, valueAt } from "../payload.ts";
import { hostOf } from "../pull-requests.ts";
import { headerOf, type WebhookProvider } from "../push-event.ts";
import { isSameText } from "../signatures.ts";

const addresses = ["web_url", "http_url", "ssh_url", "git_http_url", "git_ssh_url", "homepage", "url"];
const pushes = new Set(["push", "tag_push"]);

/** applicationset/webhook gitlabAllowedPullRequestActions */
const mergeRequestActions = new Set(["open", "close", "reopen", "update", "merge"]);

export const gitlab: WebhookProvider = {
  name: "GitLab",
  recognises: (headers) => headerOf(headers, "x-gitlab-event") !== undefined,
  secretKeys: ["gitlab.secret"],
  proof: ({ gitlab: secret }) =>
    secret
      ? { by: "headers", holds: (headers) => isSameText(headerOf(headers, "x-gitlab-token"), secret) }
      : undefined,
  readPullRequest(payload) {
    if (textAt(payload, "object_kind") !== "merge_request") return undefined;
    if (!mergeRequestActions.has(textAt(payload, "object_attributes", "action") ?? "")) return undefined;
    const id = valueAt(payload, "object_attributes", "target_project_id");
    const path = nameAt(payload, "project", "path_with_namespace");
    const names = [typeof id === "number" ? String(id) : undefined, path].filter(
      (name) => name !== undefined,
    );
    return { provider: "gitlab", host: hostOf(nameAt(payload, "project", "web_url")), names };
  },
  read(payload) {
    const ref = nameAt(payload, "ref");
    if (
      ref === undefined ||
      !pushes.has(textAt(payload, "object_kind") ?? textAt(payload, "event_name") ?? "")
    )
      return undefined;
    const commits = listAt(payload, "commits");
    const total = valueAt(payload, "total_commits_count");
    return {
      urls: namesAt(
        payload,
        ["project", "repository"].flatMap((part) => addresses.map((name) => [part, name])),
      ),
      ref,
      touchedHead: textAt(payload, "project", "default_branch") === shortRef(ref),
      revision: nameAt(payload, "after"),
      changedFiles: filesOf(commits, {
        before: textAt(payload, "before"),
        after: textAt(payload, "after"),
        isComplete: typeof total !== "number" || commits.length >= total,
      }),
    };
  },
};
