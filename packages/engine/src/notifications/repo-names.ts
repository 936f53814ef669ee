interface GitUrl {
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

const transports = new Set(["ssh", "git", "git+ssh", "http", "https", "ftp", "ftps", "rsync", "file"]);
const longest = 2048;

/** As git itself takes addresses (github.com/chainguard-dev/git-urls): a URL, else host:path, else a local path. */
function parseGitUrl(text: string): GitUrl {
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)?.[1]?.toLowerCase();
  if (scheme !== undefined && transports.has(scheme)) {
    const [, authority = "", path = "", query = ""] =
      /^[^:]+:(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/.exec(text) ?? [];
    return { host: authority.replace(/^.*@/, ""), path: decoded(path), query };
  }
  const scp =
    text.length <= longest
      ? /^(?:[a-zA-Z0-9-._~]+@)?([a-zA-Z0-9._-]+):([a-zA-Z0-9./._-]+)(.*)$/.exec(text)
      : null;
  if (scp) return { host: scp[1] ?? "", path: scp[2] ?? "", query: (scp[3] ?? "").replace(/^\?/, "") };
  return { host: "", path: text, query: "" };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The page of a repository, without whoever logs in (util/notification/expression/repo RepoURLToHTTPS). */
export function repoUrlToHttps(text: string): string {
  const { host, path, query } = parseGitUrl(text);
  const rooted = path === "" || path.startsWith("/") ? path : `/${path}`;
  return `https://${host}${encodeURI(rooted)}${query === "" ? "" : `?${query}`}`;
}

/** `owner/name` (FullNameByRepoURL). */
export function fullNameByRepoUrl(text: string): string {
  const path = parseGitUrl(text).path.replace(/\.git$/, "");
  const parts = path.split("/").filter((part) => part !== "");
  return parts.length >= 2 ? parts.slice(0, 2).join("/") : path;
}
