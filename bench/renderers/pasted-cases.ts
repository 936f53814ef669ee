import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pipeline } from "@capstan/model";
import { vault } from "@capstan/plugin-vault";
import { startOurPluginServer } from "../../compat/plugins/our-plugin-server.ts";
import { providedPath } from "../../processes/plugin-server/provided-path.ts";
import type { PreparedCase, RendererCase } from "./cases.ts";

const variables = {
  APP_REPO: "https://git.example/web",
  IMAGE_NAME: "example/web",
  IMAGE_TAG: "2.0",
};
const script = [
  `kustomize edit set annotation "github.com/url:\${ARGOCD_ENV_APP_REPO}"`,
  `kustomize edit set image \${ARGOCD_ENV_IMAGE_NAME}:\${ARGOCD_ENV_IMAGE_TAG}`,
  "kustomize build . | argocd-vault-plugin generate -",
].join("; ");

/** docs/pasted-definitions.md, but for the Secret with the settings: there is no cluster here. */
const pluginYaml = `apiVersion: argoproj.io/v1alpha1
kind: ConfigManagementPlugin
metadata: {name: avp-kustomize}
spec:
  generate: {command: [sh, -c, '${script}']}
`;

const pipeline: Pipeline = {
  apiVersion: "capstan.dev/v1alpha1",
  kind: "Pipeline",
  metadata: { name: "avp-kustomize" },
  spec: {
    stages: [
      {
        plugin: "kustomize",
        config: {
          images: ["${ARGOCD_ENV_IMAGE_NAME}:${ARGOCD_ENV_IMAGE_TAG}"],
          commonAnnotations: { "github.com/url": "${ARGOCD_ENV_APP_REPO}" },
          commonAnnotationsEnvsubst: true,
        },
      },
      { plugin: "vault" },
    ],
  },
};

const base = {
  path: "web",
  files: {
    "web/kustomization.yaml": "resources: [deployment.yaml, secret.yaml, settings.yaml]\n",
    "web/deployment.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "example/web:1"}]}
`,
    "web/secret.yaml": `apiVersion: v1
kind: Secret
metadata: {name: web, annotations: {avp.kubernetes.io/path: secret/data/web}}
stringData: {password: <password>}
`,
  },
  change: (round: number) => ({
    "web/settings.yaml": `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {round: "${round}"}\n`,
  }),
  source: {
    plugin: {
      name: "avp-kustomize",
      env: Object.entries(variables).map(([name, value]) => ({ name, value })),
    },
  },
  command: async (): Promise<[string, ...string[]]> => ["sh", "-c", script],
};

async function environment(opened: AsyncDisposableStack): Promise<Record<string, string>> {
  const answer = JSON.stringify({ data: { data: { password: "of-the-bench" } } });
  const server = createServer((_request, response) => response.end(answer));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const at = server.address();
  const port = typeof at === "object" && at ? at.port : 0;
  const own = Object.entries(variables).map(([name, value]) => [`ARGOCD_ENV_${name}`, value]);
  return {
    ...Object.fromEntries(own),
    PATH: await providedPath(process.env),
    VAULT_ADDR: `http://127.0.0.1:${port}`,
    VAULT_TOKEN: "s.of-the-bench",
  };
}

async function asPlugin(opened: AsyncDisposableStack): Promise<PreparedCase> {
  const env = await environment(opened);
  const pluginSockets = await mkdtemp(join(tmpdir(), "capstan-sockets-"));
  opened.defer(() => rm(pluginSockets, { recursive: true, force: true }));
  opened.use(
    await startOurPluginServer(pluginYaml, { socketName: "avp-kustomize.sock", pluginSockets, env }),
  );
  return { env, server: { pluginSockets: [pluginSockets] } };
}

async function asPipeline(opened: AsyncDisposableStack): Promise<PreparedCase> {
  const env = await environment(opened);
  return { env, server: { pipelines: () => [pipeline], plugins: [vault(env)] } };
}

/** What teams paste: run as a plugin.yaml, and written as a pipeline. */
export const pastedCases: readonly RendererCase[] = [
  { ...base, name: "pasted", prepare: asPlugin },
  { ...base, name: "as pipeline", prepare: asPipeline },
];
