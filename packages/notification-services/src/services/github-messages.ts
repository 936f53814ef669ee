import { isRecord } from "@capstan/formats";
import type { GithubCheckRun, GithubDeployment, GithubPart } from "../notification.ts";
import { AnswerError } from "../sending/answer-error.ts";
import { readPrinted } from "../sending/json.ts";
import type { GithubCalls } from "./github-calls.ts";

interface About {
  readonly revision: string;
  readonly message: string;
}

const [longestDescription, longestComment] = [140, 65_536];

export async function sendStatus(
  calls: GithubCalls,
  { state, label, targetURL }: NonNullable<GithubPart["status"]>,
  { revision, message }: About,
): Promise<void> {
  const description = shortened(message, longestDescription);
  const body = { state, description, context: label, target_url: targetURL };
  try {
    await calls.send("POST", `/statuses/${escaped(revision)}`, body);
  } catch (error) {
    if (!(error instanceof AnswerError) || error.status !== 422) throw error;
    // A commit holds no more than a thousand of a context.
    throw new AnswerError(
      { status: 422, body: Buffer.alloc(0) },
      { said: `GitHub takes no further status ${label} of ${revision}: ${error.said}`, mayRetry: false },
    );
  }
}

/** The one that there is of the revision and environment gets a status, else a new one. */
export async function sendDeployment(
  calls: GithubCalls,
  { state, environment, environmentURL, logURL, ...wanted }: GithubDeployment,
  { revision, message }: About,
): Promise<void> {
  const query = new URLSearchParams(withoutBlank({ environment, ref: revision }));
  const [known] = await calls.list(`/deployments?${query}`);
  const request = {
    ref: wanted.reference || revision,
    environment,
    required_contexts: wanted.requiredContexts ?? null,
    auto_merge: wanted.autoMerge,
    transient_environment: wanted.transientEnvironment,
  };
  const deployment = isRecord(known) ? known : await calls.send("POST", "/deployments", request);
  await calls.send("POST", `/deployments/${numberOf(deployment)}/statuses`, {
    state,
    log_url: logURL,
    description: shortened(message, longestDescription),
    environment,
    environment_url: environmentURL,
  });
}

/** On each pull request that has the commit; one with the same tag is written anew. */
export async function sendComments(
  calls: GithubCalls,
  { content, commentTag }: NonNullable<GithubPart["pullRequestComment"]>,
  { revision }: About,
): Promise<void> {
  const tag = `<!-- argocd-notifications ${commentTag} -->`;
  const text = shortened(content, longestComment);
  const body = commentTag === "" ? text : `${text}\n${tag}`;
  for (const request of await calls.list(`/commits/${escaped(revision)}/pulls`)) {
    const comments = `/issues/${numberOf(request, "number")}/comments`;
    const known =
      commentTag === "" ? undefined : (await calls.list(comments)).find((one) => hasText(one, tag));
    if (known) await calls.send("PATCH", `/issues/comments/${numberOf(known)}`, { body });
    else await calls.send("POST", comments, { body });
  }
}

export async function sendCheckRun(
  calls: GithubCalls,
  run: GithubCheckRun,
  { revision }: About,
): Promise<void> {
  const { name, details_url, conclusion, output } = run;
  const status = run.status || (conclusion === "" ? "" : "completed");
  if ((status === "completed" || run.completed_at !== "") && conclusion === "")
    throw new Error("checkRun.conclusion is needed where status is completed or completed_at is given");
  await calls.send("POST", "/check-runs", {
    name,
    head_sha: revision,
    details_url,
    external_id: "argocd-notifications",
    ...withoutBlank({ status, conclusion }),
    ...timeOf(run, "started_at"),
    ...timeOf(run, "completed_at"),
    ...(output ? { output } : {}),
  });
}

export async function sendDispatch(
  calls: GithubCalls,
  { event_type, client_payload: payload }: NonNullable<GithubPart["repositoryDispatch"]>,
): Promise<void> {
  const printed =
    payload === "" ? {} : { client_payload: readPrinted(payload, "repositoryDispatch.client_payload") };
  await calls.send("POST", "/dispatches", { event_type, ...printed });
}

function timeOf(run: GithubCheckRun, key: "started_at" | "completed_at"): Record<string, string> {
  const text = run[key];
  if (text === "") return {};
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text))) return { [key]: text };
  throw new Error(`checkRun.${key} "${text}" is no time; write it as 2006-01-02T15:04:05Z`);
}

/** In a path, where a branch keeps its slashes. */
function escaped(revision: string): string {
  return revision.split("/").map(encodeURIComponent).join("/");
}

function shortened(text: string, most: number): string {
  const characters = [...text];
  return characters.length > most ? `${characters.slice(0, most - 3).join("")}...` : text;
}

function numberOf(value: unknown, key = "id"): string {
  const found = isRecord(value) ? value[key] : undefined;
  if (typeof found === "number" || typeof found === "bigint") return String(found);
  throw new Error(`GitHub's answer has no ${key}`);
}

function hasText(comment: unknown, text: string): boolean {
  return isRecord(comment) && typeof comment.body === "string" && comment.body.includes(text);
}

function withoutBlank(fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}
