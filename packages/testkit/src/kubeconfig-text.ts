/** A kubeconfig of one cluster; JSON is YAML. Test certificates are made anew each time, so none is checked. */
export function kubeconfigText({
  server,
  token,
  namespace = "default",
}: {
  server: string;
  token: string;
  namespace?: string;
}): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "admin", user: { token } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "admin", namespace } }],
    "current-context": "test",
  });
}
