import { withoutEndSlashes } from "@capstan/formats";

/**
 * One text for the ways of writing a repository's URL (Argo CD: util/git NormalizeGitURL). The path of a file URL
 * keeps its case, because disks do tell cases apart.
 */
export function normaliseUrl(url: string): string {
  const trimmed = withoutEndSlashes(url.trim());
  const isLocal = trimmed.startsWith("file://") || trimmed.startsWith("/");
  const scp = /^(?:([^@/:]+)@)?([^/:]+):(?!\/\/)(.+)$/.exec(trimmed);
  const whole = scp ? `ssh://${scp[1] ?? "git"}@${scp[2]}/${scp[3]?.replace(/^\//, "")}` : trimmed;
  const bare = whole.replace(/\.git$/, "");
  return isLocal ? bare : bare.toLowerCase();
}

/** Host and path only: the same for https, ssh and scp forms of one repository. */
export function repositoryKey(url: string): string {
  return normaliseUrl(url).replace(/^[a-z+]+:\/\/(?:[^@/]*@)?/, "");
}
