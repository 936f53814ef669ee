import { withoutEndSlashes } from "@capstan/model";

/** Longer ones name no repository: they are refused before anything looks at them. */
export const maxGitUrlLength = 2048;

/**
 * One spelling for the ways to write a repository's URL, so that they compare equal: lower case, no `.git`, no
 * trailing slash, `git@host:path` as ssh (util/git NormalizeGitURL). Linear in the length of the URL.
 */
export function normalizeGitUrl(url: string): string {
  const text = withoutEndSlashes(url.trim().toLowerCase()).replace(/\.git$/, "");
  const short = /^([^/@:]+@)?([^/:@]+):(?!\/\/)(.+)$/.exec(text);
  if (short === null || text.includes("://")) return withoutEndSlashes(text);
  const [, user = "", host = "", path = ""] = short;
  return withoutEndSlashes(`ssh://${user}${host}/${path.replace(/^\/+/, "")}`);
}
