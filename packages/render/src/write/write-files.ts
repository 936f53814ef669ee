import type { Clock } from "@capstan/flow";
import { CapstanError, type Repository, withoutUserinfo } from "@capstan/model";
import type { SourceTree, TreeEntry } from "@capstan/plugin-kit";
import type { FileEdit, FilesWritten, FileWriteRequest } from "@capstan/wire";
import type { GitSources } from "../fetch/git-sources.ts";
import type { CommitSigners } from "./commit-signers.ts";
import { type CommitFile, commitFiles, PushConflict, pushCommit } from "./push-commit.ts";

const attempts = 4;
const maxEdits = 100;
const maxFileBytes = 2 * 2 ** 20;
const maxMessageLength = 64 * 1024;
const kustomizations = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

export interface WriteNeeds {
  readonly git: GitSources;
  readonly clock: Clock;
  readonly signers: Pick<CommitSigners, "open">;
}

/**
 * Commits the edits on the newest of a branch and pushes them, without a checkout and never by force. Where somebody
 * else has pushed meanwhile it begins anew, a bounded number of times; what stands there already is not committed
 * again, so that asking twice does no harm.
 */
export async function writeFiles(
  needs: WriteNeeds,
  request: FileWriteRequest,
  signal: AbortSignal,
): Promise<FilesWritten> {
  if (request.edits.length > maxEdits || request.message.length > maxMessageLength)
    throw refused(request.repository, "the change is too large for one commit");
  for (let attempt = 1; ; attempt++) {
    try {
      return await writeOnce(needs, request, signal);
    } catch (error) {
      if (!(error instanceof PushConflict)) throw error;
      if (attempt === attempts)
        throw refused(
          request.repository,
          `others have pushed to ${error.branch} while the change was made, ${attempts} times: ${error.message}`,
        );
    }
  }
}

async function writeOnce(
  { git, clock, signers }: WriteNeeds,
  request: FileWriteRequest,
  signal: AbortSignal,
): Promise<FilesWritten> {
  // Contents are written as git has them: not what a pointer of LFS stands for.
  const { enableLfs: _, ...repository } = request.repository;
  const { commits } = await git.refs(repository, { noRevisionCache: true }, signal);
  const { base, branch, tip, isNew } = findBranch(request, commits);
  const tree = await git.tree({ repository, source: { repoURL: repository.url }, revision: tip }, signal);
  const files: CommitFile[] = [];
  for (const edit of request.edits) {
    const file = await editedFile(tree, edit, files);
    if (file) files.push(file);
  }
  if (files.length === 0) return { revision: isNew ? "" : tip, branch, base, files: [] };
  const { author, message, signing } = request;
  const target = await git.copyWith(repository, tip, signal);
  const signer = signing && (await signers.open(signing, signal));
  const text = { parent: tip, files, author, message, at: clock.now(), signer };
  const revision = await commitFiles(target, text).finally(() => signer?.close());
  await pushCommit(target, { revision, branch });
  git.forget(repository.url);
  return { revision, branch, base, files: files.map(({ path }) => path) };
}

function findBranch(
  { repository, base, branch }: FileWriteRequest,
  commits: ReadonlyMap<string, string>,
): { base: string; branch: string; tip: string; isNew: boolean } {
  const ofBranch = (name: string) => commits.get(`refs/heads/${name}`);
  const followed = base === "" || base === "HEAD" ? defaultBranch(commits) : base;
  const tip = followed === undefined ? undefined : ofBranch(followed);
  if (followed === undefined || tip === undefined)
    throw refused(
      repository,
      `${base || "HEAD"} is no branch there, so that nothing can be committed to it: name a branch by git-branch`,
    );
  const pushed = branch === "" ? followed : branch;
  requireBranchName(repository, pushed);
  const there = ofBranch(pushed);
  return { base: followed, branch: pushed, tip: there ?? tip, isNew: there === undefined };
}

/** The remote says by HEAD which commit it is, not which branch. */
function defaultBranch(commits: ReadonlyMap<string, string>): string | undefined {
  const head = commits.get("HEAD");
  const usual = ["main", "master"].find((name) => commits.get(`refs/heads/${name}`) === head);
  if (usual !== undefined) return usual;
  const same = [...commits].filter(([name, sha]) => name.startsWith("refs/heads/") && sha === head);
  return same.length === 1 ? same[0]?.[0].slice("refs/heads/".length) : undefined;
}

/** git-check-ref-format(1). */
function requireBranchName(repository: Repository, name: string): void {
  const isWrong =
    name.length > 255 ||
    !/^[^\s~^:?*[\\\p{Cc}]+$/u.test(name) ||
    /^[-/.]|\/\.|\.\.|\/\/|@\{|\.lock(\/|$)|[/.]$|^@$/.test(name);
  if (isWrong) throw refused(repository, `"${name}" is no name of a branch`);
}

/** Nothing where the file has all that an edit says. Earlier edits of the same file count. */
async function editedFile(
  tree: SourceTree,
  edit: FileEdit,
  files: CommitFile[],
): Promise<CommitFile | undefined> {
  const path = await placeOf(tree, edit);
  const before = files.findIndex((one) => one.path === path);
  const entry = await tree.entry(path);
  const isFile = entry?.kind === "file" || entry?.kind === "executable";
  if (entry && !isFile)
    throw new CapstanError({ code: "FILE_MISSING", file: path, hint: `it is a ${entry.kind}` });
  if (!entry && edit.kind !== "source") throw new CapstanError({ code: "FILE_MISSING", file: path });
  const content = files[before]?.content ?? (entry ? await readText(tree, entry) : "");
  // Loaded on first use: few repositories are written to.
  const { editFile } = await import("./edit-files.ts");
  const edited = editFile(path, content, edit);
  if (edited === content) return undefined;
  if (before >= 0) files.splice(before, 1);
  return { path, content: edited, mode: entry?.kind === "executable" ? "100755" : "100644" };
}

/** Within the repository, in a folder that is there and is no link. */
async function placeOf(tree: SourceTree, edit: FileEdit): Promise<string> {
  const given = edit.kind === "kustomization" ? edit.folder : edit.file;
  const parts = given.split("/").filter((part) => part !== "" && part !== ".");
  const isOut =
    parts.some((part) => part === ".." || part.toLowerCase() === ".git") || /[\p{Cc}\\]/u.test(given);
  if (isOut || given.startsWith("/")) throw new CapstanError({ code: "PATH_OUTSIDE", path: given });
  const folder = edit.kind === "kustomization" ? parts : parts.slice(0, -1);
  const at = folder.join("/");
  const entry = at === "" ? undefined : await tree.entry(at);
  if (at !== "" && entry?.kind !== "directory")
    throw new CapstanError({
      code: "FILE_MISSING",
      file: at,
      hint: entry ? `it is a ${entry.kind}, no folder` : "there is no such folder",
    });
  if (edit.kind !== "kustomization") return parts.join("/");
  for (const name of kustomizations) {
    const path = [...parts, name].join("/");
    if (await tree.entry(path)) return path;
  }
  throw new CapstanError({ code: "FILE_MISSING", file: [...parts, "kustomization.yaml"].join("/") });
}

async function readText(tree: SourceTree, entry: TreeEntry): Promise<string> {
  const bytes = await tree.size(entry);
  if (bytes > maxFileBytes)
    throw new CapstanError({ code: "FILE_TOO_LARGE", file: entry.path, bytes, limitBytes: maxFileBytes });
  const content = await tree.read(entry);
  const text = content.toString("utf8");
  if (!Buffer.from(text).equals(content))
    throw new CapstanError({
      code: "FAILED_PRECONDITION",
      what: entry.path,
      problem: "it is no text in UTF-8",
    });
  return text;
}

function refused(repository: Repository, problem: string): CapstanError {
  const what = `repository ${withoutUserinfo(repository.url)}`;
  return new CapstanError({ code: "FAILED_PRECONDITION", what, problem });
}
