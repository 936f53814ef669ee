/** A cluster's version as helm takes it: without build metadata, as Argo CD's kubeutil does. */
export function readKubeVersion(text: string): string {
  const match = /^v?(\d+)\.(\d+)\+?(?:\.(\d+))?(-[0-9A-Za-z.-]+)?/.exec(text.trim());
  if (!match) return "";
  const [, major, minor, patch, pre = ""] = match;
  return `v${major}.${minor}${patch === undefined ? "" : `.${patch}`}${pre}`;
}
