import { isRecord } from "@capstan/formats";
import assert from "node:assert/strict";
import { lovely } from "../lovely.ts";
import { startWorld, type TestRepository } from "@capstan/testkit/render-world";

export type Files = Parameters<TestRepository["commit"]>[0];

export interface Case {
  files: Files;
  /** The application's variables. */
  env?: Record<string, string>;
  /** Its plugin parameters. */
  parameters?: Record<string, string>;
  /** The operator's. */
  operator?: Record<string, string>;
  kubeVersion?: string;
  apiVersions?: string[];
}

export const openly = { CAPSTAN_UNCONFINED_COMMANDS: "true" };

export function lovelySource({ env = {}, parameters = {} }: Omit<Case, "files">) {
  return {
    path: "app",
    plugin: {
      name: "lovely",
      env: Object.entries(env).map(([name, value]) => ({ name, value })),
      parameters: Object.entries(parameters).map(([name, string]) => ({ name, string })),
    },
  };
}

export async function render({ files, operator = {}, kubeVersion, apiVersions, ...settings }: Case) {
  await using world = await startWorld({ plugins: [lovely({ ...openly, ...operator })] });
  world.repository.commit(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`app/${name}`, text])),
  );
  const asked = { ...(kubeVersion ? { kubeVersion } : {}), ...(apiVersions ? { apiVersions } : {}) };
  const { manifests, commands, timings } = await world.render(lovelySource(settings), asked);
  const objects = manifests.map(({ manifest }) => manifest);
  return { objects, names: objects.map(({ metadata }) => metadata.name), commands, stages: timings.stages };
}

export function at(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((inner, name) => {
    if (Array.isArray(inner)) return inner[Number(name)];
    return isRecord(inner) ? inner[name] : undefined;
  }, value);
}

export const chart = {
  "Chart.yaml": "apiVersion: v2\nname: hello\nversion: 0.1.0\n",
  "values.yaml": "replicas: 1\nnested: {a: chart, b: chart}\nlist: [one, two]\n",
  "templates/config.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: '{{ .Release.Name }}', namespace: '{{ .Release.Namespace }}'}
data:
  values: {{ .Values | toJson | quote }}
  kube: {{ .Capabilities.KubeVersion.Version | quote }}
  api: {{ .Capabilities.APIVersions.Has "example.com/v1" | quote }}
`,
  "crds/x.yaml":
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: xs.example.com}\n",
};

export async function chartValues(given: Partial<Case>): Promise<Record<string, unknown>> {
  const { objects } = await render({ ...given, files: { ...chart, ...given.files } });
  const config = objects.find(({ kind }) => kind === "ConfigMap");
  const values: unknown = JSON.parse(String(at(config, "data.values")));
  assert.ok(isRecord(values));
  return values;
}

export const kustomization = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n";
