/**
 * Names that argocd gives to Secrets of repositories and clusters (util/db/secrets.go, repository.go), so that what is
 * generated here takes the place of what was generated there.
 */
export const repositorySecretName = (url: string, project = ""): string => `repo-${fnv1a(url + project)}`;

export function clusterSecretName(server: string): string {
  const host = new URL(server).hostname.replace(/^\[|\]$/g, "").replaceAll(":", "-");
  return `cluster-${host}-${fnv1a(server)}`;
}

/** FNV-1a of 32 bits. */
function fnv1a(text: string): number {
  let sum = 0x811c9dc5;
  for (const byte of Buffer.from(text)) sum = Math.imul(sum ^ byte, 0x01000193) >>> 0;
  return sum;
}
