import { withoutEndSlashes } from "@capstan/formats";
import { readGitSections } from "./git-sections.ts";

/** What .gitmodules says of one submodule. */
export interface SubmoduleEntry {
  /** From the root of its repository. */
  readonly path: string;
  readonly url: string;
}

/**
 * The submodules of a repository that name a path and an address (gitmodules(5)); of a section that stands twice the
 * last word counts, as git reads it. Nothing else of the file has a meaning here: no command, branch or name.
 */
export function readSubmodules(file: Buffer): SubmoduleEntry[] {
  return readGitSections(file, ".gitmodules").flatMap(({ section, values }) => {
    const [path, url] = [values.get("path"), values.get("url")];
    if (section !== "submodule" || path === undefined || url === undefined) return [];
    return [{ path: withoutEndSlashes(path), url }];
  });
}

/**
 * The address that a submodule's means below its repository's: `./` and `../` go along its path, as git counts them
 * (submodule--helper resolve_relative_url). undefined: none that is fetched from, or one that leads above the host.
 */
export function submoduleUrl(url: string, repositoryUrl: string): string | undefined {
  // Git takes what begins with - for an option, and a line's end for another header.
  if (url === "" || url.startsWith("-") || /\p{Cc}/u.test(url)) return undefined;
  if (!/^\.\.?(\/|$)/.test(url)) return isRemote(url) ? url : undefined;
  const [, top = "", rest = ""] =
    /^([a-z+]+:\/\/[^/]*\/?|[^/:]+:)(.*)$/i.exec(withoutEndSlashes(repositoryUrl.trim())) ?? [];
  if (top === "") return undefined;
  const path = rest.split("/").filter((part) => part !== "");
  for (const part of url.split("/")) {
    if (part === "." || part === "") continue;
    if (part !== "..") path.push(part);
    else if (path.pop() === undefined) return undefined;
  }
  return path.length === 0 ? undefined : `${top}${path.join("/")}`;
}

/** Addresses of a network alone: a folder of this machine is nobody's to name in a repository. */
function isRemote(url: string): boolean {
  return /^(https?|ssh|git):\/\/[^/]/i.test(url) || /^(?:[\w.-]+@)?[\w.-]+:(?!\/\/|:)[^:]/.test(url);
}
