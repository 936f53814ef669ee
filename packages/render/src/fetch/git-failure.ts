import { CapstanError, folderOf, isCapstanError, withoutUserinfo, withoutUserinfos } from "@capstan/model";
import { ownKeysVariable } from "./git-access.ts";

const signs: readonly [code: "REPOSITORY_AUTH" | "REPOSITORY_MISSING", sign: RegExp][] = [
  [
    "REPOSITORY_AUTH",
    /could not read (Username|Password)|Authentication failed|returned error: (40[137]|30[12378])\b|Permission denied \(|Host key verification failed|access denied|HTTP Basic: Access denied|No such identity|error in libcrypto/i,
  ],
  [
    "REPOSITORY_MISSING",
    /repository '.*' (not found|does not exist)|returned error: 404\b|does not appear to be a git repository|Repository not found|project you were looking for could not be found/i,
  ],
];

/** What git's words mean; anything unknown counts as unreachable, which is tried again. */
export function readGitFailure(url: string, error: unknown): unknown {
  if (!isCapstanError(error)) return error;
  const { failure } = error;
  const repository = withoutUserinfo(url);
  if (failure.code === "TIMED_OUT") {
    const problem = `no answer within ${failure.afterMs / 1000} s`;
    return new CapstanError({ code: "REPOSITORY_UNREACHABLE", repository, problem }, error);
  }
  if (failure.code !== "TOOL_FAILED") return error;
  const transport = /transport '([^']*)' not allowed/.exec(failure.stderr)?.[1];
  if (transport !== undefined) {
    const problem = `${repository} is of transport "${transport}", by which nothing is fetched: write https://, ssh:// or file://`;
    return new CapstanError({ code: "INVALID_ARGUMENT", field: "source.repoURL", problem }, error);
  }
  const refusal = folderOf(url) === undefined ? undefined : refused.exec(failure.stderr)?.[1];
  if (refusal !== undefined)
    return new CapstanError({ code: "INVALID_ARGUMENT", field: "source.repoURL", problem: refusal }, error);
  const revision = lacking.exec(failure.stderr)?.[1];
  if (revision !== undefined)
    return new CapstanError({ code: "REVISION_MISSING", repository, revision }, error);
  if (isEnded.test(failure.stderr))
    return new CapstanError(
      { code: "FAILED_PRECONDITION", what: `repository ${repository}`, problem: ended },
      error,
    );
  const problem = isUnknownHost.test(failure.stderr) ? unknownHost : readProblem(failure.stderr);
  const code = signs.find(([, sign]) => sign.test(failure.stderr))?.[0] ?? "REPOSITORY_UNREACHABLE";
  return new CapstanError({ code, repository, problem: explain(problem) }, error);
}

/** As repositories of this machine are refused by who has them (servers: LocalGit). */
const refused = /^fatal: remote error: refused: (.*)$/m;

/** A server gives every commit that it has by its id (gitprotocol-v2(5), fetch); so git says that it has it not. */
const lacking = /^fatal: remote error: upload-pack: not our ref ([0-9a-f]{40,64})$/m;

/** Of a program that was ended, by itself or below git. */
const isEnded = /\bdied of signal 9\b|^killed by SIGKILL$/m;
const ended =
  "git was ended while it asked: what its server sends takes more memory than --repo-server-memory-limit, or somebody ended it";

const isUnknownHost = /Host key verification failed/;
const unknownHost =
  "its host is not known, or shows another key than before. Put its key into the ConfigMap argocd-ssh-known-hosts-cm (capstan cert add-ssh)";

const broken =
  /object file .* is empty|loose object .* is corrupt|bad (object|ref) |unable to read (tree|sha1)|is corrupted|index file .* (corrupt|too small)|not a git repository|missing (blob|tree|commit|object)|did not send all necessary objects|inflate: data stream error/i;

/** What is wrong with the copy on this machine, if that made git fail. */
export function readDamage(error: unknown): "locked" | "broken" | undefined {
  const origin = isCapstanError(error, "TOOL_FAILED")
    ? error
    : error instanceof Error
      ? error.cause
      : undefined;
  if (!isCapstanError(origin) || origin.failure.code !== "TOOL_FAILED") return undefined;
  const here = origin.failure.stderr.replace(/^(remote|fatal: remote error):.*$/gm, "");
  if (/\.lock': File exists/.test(here)) return "locked";
  return broken.test(here) ? "broken" : undefined;
}

/** Whether trying once more could help. */
export function isPassing(error: unknown): boolean {
  return isCapstanError(error, "REPOSITORY_UNREACHABLE");
}

function readProblem(stderr: string): string {
  const lines = stderr
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /^(fatal|error|remote|ssh|.*denied|.*failed)/i.test(line));
  const line = lines.find((text) => text.startsWith("fatal:")) ?? lines[0] ?? stderr.trim();
  return withoutUserinfos(line.replace(/^(fatal|error|remote): */i, ""));
}

function explain(problem: string): string {
  if (/terminal prompts disabled/.test(problem)) return "it asks for a user name and a password";
  if (/returned error: 30[12378]\b/.test(problem))
    return `${problem}: it leads to another address, to which no token and no certificate is sent; write that address`;
  if (/Permission denied \(|publickey/.test(problem))
    return `${problem}. The keys of whoever runs Capstan are not used, unless it runs with ${ownKeysVariable}=true`;
  return problem;
}
