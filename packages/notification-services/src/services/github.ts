import { withoutEndSlashes } from "@capstan/formats";
import { installationRequest, readInstallationToken, readPrivateKey } from "@capstan/git-hosts";
import { intOrString, object, optional, type Static, string } from "@capstan/model/shapes";
import { TokenCache } from "@capstan/secret-services";
import type { Notification } from "../notification.ts";
import { AnswerError, expectSuccess } from "../sending/answer-error.ts";
import { defineService } from "../sending/define-service.ts";
import { recordOf } from "../sending/json.ts";
import type { Tools } from "../sending/tools.ts";
import { transportKeys } from "../sending/transport-keys.ts";
import { GithubCalls } from "./github-calls.ts";
import { sendCheckRun, sendComments, sendDeployment, sendDispatch, sendStatus } from "./github-messages.ts";

const schema = object({
  appID: intOrString(),
  installationID: intOrString(),
  privateKey: string(),
  enterpriseBaseURL: optional(string()),
  ...transportKeys,
});
type Config = Static<typeof schema>;

/** Statuses, deployments, comments, check runs and dispatches of GitHub, by an App (pkg/services/github.go). */
export const github = defineService({
  type: "github",
  config: schema,
  secretsOf: ({ privateKey }) => [privateKey],
  check: problemsOf,
  create(config, tools) {
    const api = apiOf(config);
    const ask = tools.asker({ insecure: config.insecureSkipVerify });
    const tokenOf = tokenReader(config, tools);
    return async (notification, _, signal) => {
      const { repoURL, revision, ...sent } = partOf(notification);
      const { owner, name } = repositoryOf(repoURL);
      const repository = `${api}/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
      const calls = new GithubCalls({ ask, token: () => tokenOf(signal), repository, signal });
      const about = { revision, message: notification.message ?? "" };
      if (sent.status) await sendStatus(calls, sent.status, about);
      if (sent.deployment) await sendDeployment(calls, sent.deployment, about);
      if (sent.pullRequestComment) await sendComments(calls, sent.pullRequestComment, about);
      if (sent.checkRun) await sendCheckRun(calls, sent.checkRun, about);
      if (sent.repositoryDispatch) await sendDispatch(calls, sent.repositoryDispatch);
    };
  },
});

function partOf({ github: part }: Notification) {
  if (part) return part;
  throw new Error("the template has no part github");
}

/** Go reads a number's text as a number here (spf13/cast). */
function problemsOf(config: Config): string[] {
  const problems = (["appID", "installationID"] as const)
    .filter((key) => !/^\d{1,20}$/.test(String(config[key])))
    .map((key) => `${key} is no number`);
  try {
    readPrivateKey(config.privateKey, "privateKey");
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  }
  if (config.enterpriseBaseURL && !URL.canParse(config.enterpriseBaseURL))
    problems.push("enterpriseBaseURL is no URL");
  return problems;
}

/** Of GitHub Enterprise it ends in /api/v3, or is a host of its own (go-github WithEnterpriseURLs). */
function apiOf({ enterpriseBaseURL }: Config): string {
  if (!enterpriseBaseURL) return "https://api.github.com";
  const base = withoutEndSlashes(enterpriseBaseURL);
  const { hostname } = new URL(base);
  const isWhole = base.endsWith("/api/v3") || hostname.startsWith("api.") || hostname.includes(".api.");
  return isWhole ? base : `${base}/api/v3`;
}

/** A token of the installation, kept for as long as it is good. */
function tokenReader(config: Config, { asker, clock, hide }: Tools) {
  const tokens = new TokenCache(clock);
  const ask = asker({ insecure: config.insecureSkipVerify });
  const [id, installation] = [String(config.appID), String(config.installationID)];
  return async (signal: AbortSignal): Promise<string> => {
    const login = async () => {
      const { path, headers } = installationRequest(
        { id, installation, privateKey: config.privateKey },
        clock.now(),
      );
      hide(headers.authorization ?? "");
      const answer = expectSuccess(await ask(`${apiOf(config)}${path}`, { method: "POST", headers }, signal));
      const found = readInstallationToken(recordOf(answer));
      if (!found) throw new AnswerError(answer, { said: "the answer holds no token" });
      hide(found.token);
      return { token: found.token, until: found.untilMs - spareMs, isRenewable: false };
    };
    return (await tokens.get(["github", id, installation], { login })).token;
  };
}

/** Before its end a token is asked for anew (ghinstallation getRefreshTime). */
const spareMs = 60_000;

/** The first two parts of an address's path. */
function repositoryOf(address: string): { owner: string; name: string } {
  const [, scpPath] = /^(?:[^@/]+@)?[^:/]+:(?!\/\/)(.*)$/.exec(address) ?? [];
  const path = scpPath ?? (URL.canParse(address) ? new URL(address).pathname : address);
  const [owner, name] = path
    .replace(/\.git$/, "")
    .split("/")
    .filter((part) => part !== "");
  if (owner !== undefined && name !== undefined) return { owner, name };
  throw new Error(`"${address}" is no repository of GitHub: its path has no owner and name`);
}
