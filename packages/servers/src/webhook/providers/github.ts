import { filesOf, listAt, nameAt, namesAt, shortRef, textAt, valueAt } from "../payload.ts";
import { readGithubPullRequest } from "../pull-requests.ts";
import { headerOf, type PushEvent, type WebhookProvider } from "../push-event.ts";
import { readGithubPackage } from "../registry-push.ts";
import { signedBody } from "../signatures.ts";

const addresses = ["html_url", "clone_url", "ssh_url", "git_url", "svn_url"];
/** GitHub lists at most this many commits of a push. */
const maxCommits = 2048;

/** applicationset/webhook githubAllowedPullRequestActions */
const pullRequestActions = new Set(["opened", "closed", "synchronize", "labeled", "reopened", "unlabeled"]);

export const github: WebhookProvider = {
  name: "GitHub",
  recognises: (headers) => headerOf(headers, "x-github-event") !== undefined,
  secretKeys: ["github.secret"],
  proof: ({ github: secret }) =>
    secret ? signedBody(secret, (headers) => headerOf(headers, "x-hub-signature-256")) : undefined,
  read(payload, headers) {
    if (headerOf(headers, "x-github-event") !== "push") return undefined;
    return readGithubPush(payload);
  },
  readPullRequest: (payload, headers) =>
    headerOf(headers, "x-github-event") === "pull_request" &&
    pullRequestActions.has(textAt(payload, "action") ?? "")
      ? readGithubPullRequest(payload, "github")
      : undefined,
  readImage: (payload, headers) =>
    /^(registry_)?package$/.test(headerOf(headers, "x-github-event") ?? "")
      ? readGithubPackage(payload)
      : undefined,
};

/** Gogs and Gitea send the same payload. */
export function readGithubPush(payload: unknown): PushEvent | undefined {
  const ref = nameAt(payload, "ref");
  if (ref === undefined) return undefined;
  const commits = listAt(payload, "commits");
  const total = valueAt(payload, "total_commits");
  const isWhole = typeof total === "number" ? commits.length >= total : commits.length < maxCommits;
  return {
    urls: namesAt(
      payload,
      addresses.map((name) => ["repository", name]),
    ),
    ref,
    touchedHead: textAt(payload, "repository", "default_branch") === shortRef(ref),
    revision: nameAt(payload, "after"),
    changedFiles: filesOf(commits, {
      before: textAt(payload, "before"),
      after: textAt(payload, "after"),
      isComplete: isWhole && valueAt(payload, "forced") !== true,
    }),
  };
}
