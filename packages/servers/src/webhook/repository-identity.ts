import { withoutEndSlashes } from "@capstan/formats";

/**
 * What two addresses of one repository have in common: host without port, user and `ssh.`, and the path without
 * `.git`, in lower case. Follows the URL pattern of Argo CD's util/webhook GetWebURLRegex; local repositories
 * have their folder as identity.
 */
export function repositoryIdentity(url: string): string {
  const text = url.trim().toLowerCase();
  const local = /^(?:file:\/\/(?:localhost)?)?(\/.*)$/.exec(text);
  if (local) return trimPath(local[1] ?? "");
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/(.*)$/.exec(text);
  const scp = absolute ?? /^(?:[^@/]*@)?([^/:]+):(.*)$/.exec(text);
  if (!scp) return trimPath(text);
  const host = (scp[1] ?? "").replace(/^(?:alt)?ssh\./, "");
  return `${host}/${hostedPath(host, trimPath(scp[2] ?? ""))}`;
}

function trimPath(path: string): string {
  return withoutEndSlashes(path)
    .replace(/\.git$/, "")
    .replace(/^\/+/, "");
}

/** Azure DevOps writes org/project/_git/repo over HTTPS and v3/org/project/repo over SSH. */
function hostedPath(host: string, path: string): string {
  if (host !== "dev.azure.com" && !host.endsWith("visualstudio.com")) return path;
  return path.replace(/^v3\//, "").replace(/(^|\/)_git\//, "$1");
}
