export interface KubeconfigFacts {
  server: string;
  caCertificate: string;
  token: string;
}

/** JSON is YAML: nothing needs quoting rules. */
export function writeKubeconfig({ server, caCertificate, token }: KubeconfigFacts): string {
  const name = "capstan";
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name,
        cluster: { server, "certificate-authority-data": Buffer.from(caCertificate).toString("base64") },
      },
    ],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    "current-context": name,
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
