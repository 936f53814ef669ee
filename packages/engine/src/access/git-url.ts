/**
 * One spelling for the ways to write a repository's URL, so that they compare equal: lower case, no `.git`, no
 * trailing slash, `git@host:path` as ssh (util/git NormalizeGitURL).
 */
export function normalizeGitUrl(url: string): string {
  let text = url.trim().toLowerCase();
  text = text.replace(/\/+$/, "").replace(/\.git$/, "");
  const short = /^([^/@:]+@)?([^/:@]+):(?!\/\/)(.+)$/.exec(text);
  if (short !== null && !text.includes("://")) {
    const [, user = "", host = "", path = ""] = short;
    text = `ssh://${user}${host}/${path.replace(/^\/+/, "")}`;
  }
  return text.replace(/^ssh:\/\/git@/, "ssh://git@").replace(/\/+$/, "");
}
