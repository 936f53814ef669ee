import { randomUUID } from "node:crypto";
import { CapstanError, isCapstanError, withoutUserinfo } from "@capstan/model";
import type { FetchFrom } from "../fetch/fetch-from.ts";
import { readGitFailure } from "../fetch/git-failure.ts";
import type { GitRepository } from "../fetch/git-repository.ts";

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
      return (await run(["rev-parse", "--verify", ref])).stdout.toString().trim();
    } finally {
      await run(["update-ref", "-d", ref]);
    }
  }, from);
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
    if (isConflict) throw new PushConflict(branch, lastLine(told));
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

function lastLine(text: string): string {
  return (
    text
      .split("\n")
      .find((line) => conflict.test(line))
      ?.trim()
      .slice(0, 300) ?? ""
  );
}
