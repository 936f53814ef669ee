import { randomUUID } from "node:crypto";
import { CapstanError, isCapstanError, withoutUserinfo } from "@capstan/model";
import type { FetchFrom, GitHere } from "../fetch/fetch-from.ts";
import type { GitAccess } from "../fetch/git-access.ts";
import { readGitFailure } from "../fetch/git-failure.ts";
import type { GitRepository } from "../fetch/git-repository.ts";
import { lastLine, unusable } from "./commit-signers.ts";

export interface CommitFile {
  readonly path: string;
  readonly content: string;
  readonly mode: "100644" | "100755";
}

export interface CommitText {
  readonly parent: string;
  readonly files: readonly CommitFile[];
  readonly author: { readonly name: string; readonly email: string };
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Absent: it bears no signature. */
  readonly signer?: GitAccess | undefined;
}

/** Where a commit is made and pushed from: the copy of the repository that fetches use. */
export interface CommitPlace {
  readonly copy: GitRepository;
  readonly from: FetchFrom;
}

/** The branch is not what it was any more. */
export class PushConflict extends Error {
  override readonly name = "PushConflict";
  readonly branch: string;

  constructor(branch: string, told: string) {
    super(told);
    this.branch = branch;
  }
}

/** A commit of the copy here, which no branch of it names: nothing of it is left but objects. */
export async function commitFiles({ copy, from }: CommitPlace, text: CommitText): Promise<string> {
  const ref = `refs/capstan-writes/${randomUUID()}`;
  return copy.exclusively(async (run) => {
    await run(["fast-import", "--quiet"], { stdin: importText(ref, text) });
    try {
      if (text.signer) return await signTree(run, ref, { ...text, signer: text.signer });
      return (await run(["rev-parse", "--verify", ref])).stdout.toString().trim();
    } finally {
      await run(["update-ref", "-d", ref]);
    }
  }, from);
}

/** The same commit once more, with a signature: fast-import makes none. */
async function signTree(
  run: GitHere,
  ref: string,
  { parent, author, message, at, signer }: CommitText & { signer: GitAccess },
): Promise<string> {
  const date = `${Math.floor(at / 1000)} +0000`;
  const [name, email] = [nameText(author.name), nameText(author.email)];
  const env = {
    ...signer.env,
    ...{ GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date },
    ...{ GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email, GIT_COMMITTER_DATE: date },
  };
  const access = { env, settings: signer.settings };
  try {
    const args = ["commit-tree", "-S", "-p", parent, `${ref}^{tree}`];
    return (await run(args, { access, stdin: message })).stdout.toString().trim();
  } catch (error) {
    if (!isCapstanError(error) || error.failure.code !== "TOOL_FAILED") throw error;
    throw unusable(
      `nothing could be signed with it (it may have no passphrase): ${reasonOf(error.failure.stderr)}`,
    );
  }
}

/** Git says in its last line that signing failed; why is said before it. */
function reasonOf(stderr: string): string {
  const lines = stderr
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^(error|fatal): (gpg|failed to write)/.test(line));
  return lastLine(lines.join("\n")) || lastLine(stderr);
}

/** git-fast-import(1), "Input Format". Lengths are bytes. */
function importText(ref: string, { parent, files, author, message, at }: CommitText): string {
  const who = `${nameText(author.name)} <${nameText(author.email)}> ${Math.floor(at / 1000)} +0000`;
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const head = `commit ${ref}\nauthor ${who}\ncommitter ${who}\n${data(message)}from ${parent}\n`;
  const changes = files.map(
    ({ path, content, mode }) => `M ${mode} inline ${quoted(path)}\n${data(content)}`,
  );
  return `${head}${changes.join("")}\ndone\n`;
}

function nameText(text: string): string {
  return text.replace(/[<>\p{Cc}]/gu, "").trim();
}

function quoted(path: string): string {
  return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

const conflict =
  /\[rejected\]|fetch first|non-fast-forward|cannot lock ref|failed to update ref|stale info|incorrect old value/i;
const declined = /\[remote rejected\] ([^\n]*)/;

/** Rejects with PushConflict where the branch has moved on; what the remote does not want is its own refusal. */
export async function pushCommit(
  { copy, from }: CommitPlace,
  { revision, branch }: { revision: string; branch: string },
): Promise<void> {
  const access = await from.openAccess();
  try {
    await copy.exclusively(
      (run) =>
        from.following((url) =>
          run(["push", "--quiet", "--no-verify", "--", url, `${revision}:refs/heads/${branch}`], { access }),
        ),
      from,
    );
  } catch (error) {
    const told = isCapstanError(error) && error.failure.code === "TOOL_FAILED" ? error.failure.stderr : "";
    const refusal = declined.exec(told)?.[1];
    const isConflict = conflict.test(refusal ?? told);
    if (isConflict) throw new PushConflict(branch, conflictLine(told));
    if (refusal === undefined) throw readGitFailure(from.url, error);
    const what = `repository ${withoutUserinfo(from.url)}`;
    throw new CapstanError({
      code: "FAILED_PRECONDITION",
      what,
      problem: `the commit was not taken there: ${refusal.trim()}`,
    });
  } finally {
    await access.close();
  }
}

function conflictLine(text: string): string {
  return (
    text
      .split("\n")
      .find((line) => conflict.test(line))
      ?.trim()
      .slice(0, 300) ?? ""
  );
}
