/** A Deployment of one container; JSON is YAML. */
export function deployment(name: string, { replicas = 1, image = "nginx:1.27" } = {}): string {
  const labels = { app: name };
  return JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image }] } },
    },
  });
}

export function configMap(name: string, data: Readonly<Record<string, string>>, more: object = {}): string {
  return JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...more }, data });
}

export const documents = (...texts: readonly string[]): string => `${texts.join("\n---\n")}\n`;
