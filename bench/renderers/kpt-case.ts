import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kpt } from "@capstan/plugin-kpt";
import { lacking, openContainerRuntime, realProgramPath, writeImageRoot } from "@capstan/testkit";
import type { Absent, PreparedCase, RendererCase } from "./cases.ts";

const functions: readonly (readonly [name: string, config: Readonly<Record<string, string>>])[] = [
  ["set-namespace", { namespace: "shop" }],
  ["set-annotations", { team: "shop" }],
  ["apply-setters", { tag: "2.0", replicas: "3" }],
  ["set-image", { name: "example/d1", newTag: "3.0" }],
  ["search-replace", { "by-path": "spec.template.spec.serviceAccountName", "put-value": "runner" }],
];
const objects = 30;
const numbers = Array.from({ length: objects }, (_, index) => index);

const deployment = (name: string): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
spec:
  replicas: 1 # kpt-set: \${replicas}
  selector:
    matchLabels:
      app: ${name}
  template:
    metadata:
      labels:
        app: ${name}
    spec:
      serviceAccountName: ${name}
      containers:
      - name: main
        image: example/${name}:1 # kpt-set: example/${name}:\${tag}
`;

const kptfile = `apiVersion: kpt.dev/v1
kind: Kptfile
metadata: {name: shop}
pipeline:
  mutators:
${functions.map(([name, configMap]) => `  - ${JSON.stringify({ image: `${name}:latest`, configMap })}\n`).join("")}`;

/** One after another, each on its forerunner's output with its own configuration; what kpt does besides is left out. */
function script(run: (name: string) => string): string {
  const list =
    "printf 'apiVersion: config.kubernetes.io/v1\\nkind: ResourceList\\nitems:\\n'; sed -s '1s/^/- /;1!s/^/  /' *.yaml";
  const steps = functions.map(([name, data]) => {
    const config = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, data });
    const input = `printf '%s\\n' "$list" | sed -E '/^(functionConfig|results?):/,$d'; echo 'functionConfig: ${config}'`;
    return `list=$({ ${input}; } | ${run(name)})`;
  });
  return ["set -e", `list=$(${list})`, ...steps, `printf '%s\\n' "$list"`].join("\n");
}

export const kptCase: RendererCase = {
  name: "kpt",
  path: "package",
  files: {
    "package/Kptfile": kptfile,
    ...Object.fromEntries(numbers.map((at) => [`package/d${at}.yaml`, deployment(`d${at}`)])),
  },
  change: (round) => ({
    "package/settings.yaml": `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  round: "${round}"\n`,
  }),
  source: { plugin: { name: "kpt" } },
  command: async () => ["sh", "-c", script((name) => realProgramPath(`kpt-${name}`))],
  lacking: () => lacking(...functions.map(([name]) => `kpt-${name}`)),
  prepare: async () => ({ env: {}, server: { plugins: [kpt(process.env)] } }),
};

const image = (name: string): string => `localhost/capstan-bench/${name}:v1`;

/** As kpt starts a function (its pkg/fn/runtime container.go), with the images at hand. */
const contained = (name: string): string =>
  `podman run --rm -i --network none --user nobody --security-opt=no-new-privileges --pull missing ${image(name)}`;

async function prepareContainers(opened: AsyncDisposableStack): Promise<PreparedCase | Absent> {
  const runtime = await openContainerRuntime("podman");
  if ("absent" in runtime) return runtime;
  opened.use(runtime);
  const dir = await mkdtemp(join(tmpdir(), "capstan-images-"));
  opened.defer(() => rm(dir, { recursive: true, force: true }));
  for (const [name] of functions) {
    await writeImageRoot(join(dir, name), { fn: realProgramPath(`kpt-${name}`) });
    await runtime.createImage(image(name), join(dir, name), ['ENTRYPOINT ["/bin/fn"]']);
  }
  const { HOME: _home, PATH: _path, ...env } = runtime.env;
  return { env, server: { plugins: [kpt(process.env)] } };
}

/** The same package, its functions in process beside a container of podman's each. */
export const kptContainersCase: RendererCase = {
  ...kptCase,
  name: "kpt-containers",
  command: async () => ["sh", "-c", script(contained)],
  prepare: prepareContainers,
};
