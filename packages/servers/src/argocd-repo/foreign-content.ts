import { compareBytes, matchesPath } from "@capstan/formats";
import { CapstanError } from "@capstan/model";
import {
  type GitContent,
  type GitContentRequest,
  gitContentLimits,
  isMeantPath,
  objectsInFile,
  type PathPattern,
  refusedContent,
} from "@capstan/wire";
import type { ForeignRemote } from "./foreign-remote.ts";
import { writeRepository } from "./write-request.ts";

const { maxDirectories, maxFiles, maxBytes, maxFileBytes } = gitContentLimits;

/** What git generators ask for, of one commit, by GetGitDirectories and GetGitFiles. */
export async function readForeignContent(
  remote: ForeignRemote,
  request: GitContentRequest & { revision: string },
  signal: AbortSignal,
): Promise<Omit<GitContent, "revision">> {
  const { directories, files = [], hidden = false } = request;
  if (!directories) return { files: await readFiles(remote, { ...request, files }, signal) };
  const asked = { ...commonOf(request), verifyCommit: false };
  const { paths } = await remote.ask(signal, (service, options) => service.getGitDirectories(asked, options));
  if (paths.length > maxDirectories) throw refusedContent(`it holds more than ${maxDirectories} directories`);
  const shown = paths.map(checkPath).filter((path) => hidden || !/(?:^|\/)\./.test(path));
  return {
    directories: shown.filter((path) => isMeantPath(directories, path, matchesPath)).sort(compareBytes),
  };
}

/** Which files a pattern means, that server says, as it does for Argo CD's own programs: it is asked for each. */
async function readFiles(
  remote: ForeignRemote,
  request: GitContentRequest & { revision: string; files: readonly PathPattern[] },
  signal: AbortSignal,
): Promise<NonNullable<GitContent["files"]>> {
  const { files: patterns, doublestar = false } = request;
  const meant = new Map<string, Uint8Array>();
  const ask = async (pattern: PathPattern): Promise<[string, Uint8Array][]> => {
    const asked = { ...commonOf(request), path: pattern.path, NewGitFileGlobbingEnabled: doublestar };
    const { map } = await remote.ask(signal, (service, options) => service.getGitFiles(asked, options));
    return Object.entries(map);
  };
  for (const pattern of patterns.filter(({ exclude = false }) => !exclude))
    for (const [path, content] of await ask(pattern)) meant.set(checkPath(path), content);
  for (const pattern of patterns.filter(({ exclude = false }) => exclude))
    for (const [path] of await ask(pattern)) meant.delete(path);
  if (meant.size > maxFiles)
    throw refusedContent(`its patterns match ${meant.size} files: at most ${maxFiles} are read`);
  let bytesLeft = maxBytes;
  for (const [file, { length: bytes }] of meant) {
    if (bytes > maxFileBytes)
      throw new CapstanError({ code: "FILE_TOO_LARGE", file, bytes, limitBytes: maxFileBytes });
    bytesLeft -= bytes;
  }
  if (bytesLeft < 0)
    throw refusedContent(`the files that its patterns match have more than ${maxBytes} bytes together`);
  return [...meant]
    .sort(([one], [other]) => compareBytes(one, other))
    .map(([path, content]) => ({ path, objects: objectsInFile(path, new TextDecoder().decode(content)) }));
}

/** Submodules are looked into, as Argo CD's own controller asks for by default. */
function commonOf({ repository, revision }: GitContentRequest & { revision: string }) {
  return { repo: writeRepository(repository), revision, submoduleEnabled: true };
}

/** Names of Applications and paths of sources are made of it. */
function checkPath(path: string): string {
  const parts = path.split("/");
  if (path.includes("\0") || parts.some((part) => part === "" || part === "." || part === ".."))
    throw refusedContent(
      `Argo CD's repo server names "${path.slice(0, 80)}" in it, which is no path below it`,
    );
  return path;
}
