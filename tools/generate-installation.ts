/**
 * Writes what is said once in deploy/capstan/chart: values.schema.json and README.md out of the comments and defaults
 * of values.yaml, and the Kustomize bases out of its templates (by helm, which comes along on Linux for x64). With
 * --check only says whether they agree.
 */
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { isRecord } from "@capstan/formats";
import { dumpYaml } from "@capstan/formats/yaml";
import { type Manifest, parseManifests } from "@capstan/model";
import { toolPath } from "@capstan/programs";
import { onlyChecks } from "@capstan/testkit/program-flags";
import { readValues, schemaOf, valuesTable } from "./chart/read-values.ts";

const isCheck = onlyChecks();

const top = join(import.meta.dirname, "..", "deploy", "capstan");
const chart = join(top, "chart");
const maxOutputBytes = 50_000_000;
const heading =
  "# Made by tools/generate-installation.ts from deploy/capstan/chart; run npm run generate to renew it.\n";
/** A base makes no Secret: a token that lies in a repository is none. Its name is the one that the chart gives. */
const tokenSecret = "repoServer.tokenSecret=capstan-repo-server-token";

const values = readValues(await readFile(join(chart, "values.yaml"), "utf8"));
const clusterWide = await render("clusterWide=true");
const lasting = await render("clusterWide=true", "-f", join(chart, "values-ha.yaml"));
const known = new Set(clusterWide.map(identity));
const wanted = new Map([
  ["chart/values.schema.json", `${JSON.stringify(schemaOf(values), null, 2)}\n`],
  ["chart/README.md", chartPage()],
  ["cluster-wide/install.yaml", heading + print(clusterWide)],
  ["namespaced/install.yaml", heading + print(await render("clusterWide=false"))],
  ["high-availability/kustomization.yaml", heading + component()],
  ["high-availability/objects.yaml", heading + print(lasting.filter((one) => !known.has(identity(one))))],
]);

for (const [name, text] of wanted) {
  const file = join(top, name);
  if (!isCheck) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  } else if ((await readFile(file, "utf8").catch(() => undefined)) !== text) {
    console.error(`deploy/capstan/${name} is out of date; run npm run generate`);
    process.exitCode = 1;
  }
}
if (!isCheck) console.log(`deploy/capstan: ${wanted.size} files`);

async function render(mode: string, ...more: string[]): Promise<Manifest[]> {
  const words = ["template", "capstan", chart, "--namespace", "argocd", "--set", mode, "--set", tokenSecret];
  const helm = await toolPath("helm", process.env);
  // The schema that lies there may be of former values: it is made here too.
  const all = [...words, "--skip-schema-validation", ...more];
  const { stdout } = await promisify(execFile)(helm, all, { maxBuffer: maxOutputBytes });
  return parseManifests(stdout)
    .map(withoutManager)
    .toSorted((one, other) => (identity(one) < identity(other) ? -1 : 1));
}

/** Helm has not applied it. */
function withoutManager(manifest: Manifest): Manifest {
  const text = JSON.stringify(manifest, (key, value) =>
    key === "app.kubernetes.io/managed-by" ? undefined : value,
  );
  return JSON.parse(text);
}

function identity({ apiVersion, kind, metadata }: Manifest): string {
  return [kind, apiVersion, metadata.namespace ?? "", metadata.name].join(" ");
}

function print(manifests: readonly Manifest[]): string {
  return manifests.map((manifest) => dumpYaml(manifest)).join("---\n");
}

/** Of the bases' Deployments it changes how many there are. */
function component(): string {
  const scaled = lasting.flatMap(({ kind, metadata }) =>
    kind === "HorizontalPodAutoscaler" ? [metadata.name] : [],
  );
  const replicas = lasting.flatMap(({ kind, metadata: { name }, spec }) =>
    kind === "Deployment" && isRecord(spec) && spec.replicas !== undefined
      ? [{ name, count: spec.replicas }]
      : [],
  );
  const kustomization = {
    apiVersion: "kustomize.config.k8s.io/v1alpha1",
    kind: "Component",
    resources: ["objects.yaml"],
    replicas,
    // The autoscaler says how many.
    patches: scaled.map((name) => ({
      target: { kind: "Deployment", name },
      patch: "- {op: remove, path: /spec/replicas}",
    })),
  };
  return `# What one node's end does not stop, as chart/values-ha.yaml: an overlay names this directory in its components.
${dumpYaml(kustomization)}`;
}

function chartPage(): string {
  return `<!-- Made by tools/generate-installation.ts from values.yaml; run npm run generate to renew it. -->
# The chart capstan

How it is installed, upgraded and removed: [docs/installation.md](../../../docs/installation.md).

${valuesTable(values)}
`;
}
