/** Texts of small manifests, as a person would write them into a repository. */

interface Marks {
  annotations?: Readonly<Record<string, string>>;
  namespace?: string;
}

function head(
  apiVersion: string,
  kind: string,
  { name, annotations, namespace }: Marks & { name: string },
): string {
  const lines = [`apiVersion: ${apiVersion}`, `kind: ${kind}`, "metadata:", `  name: ${name}`];
  if (namespace) lines.push(`  namespace: ${namespace}`);
  if (annotations) lines.push("  annotations:");
  for (const [key, value] of Object.entries(annotations ?? {}))
    lines.push(`    ${key}: ${JSON.stringify(value)}`);
  return `${lines.join("\n")}\n`;
}

export function configMapText(name: string, value = "1", marks: Marks = {}): string {
  return `${head("v1", "ConfigMap", { name, ...marks })}data:\n  key: ${JSON.stringify(value)}\n`;
}

export function deploymentText(
  name: string,
  { replicas = 1, image = "nginx:1.27", ...marks }: Marks & { replicas?: number; image?: string } = {},
): string {
  return `${head("apps/v1", "Deployment", { name, ...marks })}spec:
  replicas: ${replicas}
  selector:
    matchLabels: {app: ${name}}
  template:
    metadata:
      labels: {app: ${name}}
    spec:
      containers:
      - name: main
        image: ${image}
`;
}

/** A Job whose container runs a shell command; the embedded cluster understands true, false, exit, sleep and echo. */
export function jobText(name: string, command: string, marks: Marks = {}): string {
  return `${head("batch/v1", "Job", { name, ...marks })}spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: busybox
        command: ["sh", "-c", ${JSON.stringify(command)}]
`;
}
