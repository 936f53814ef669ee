import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isRecord } from "@capstan/formats";
import { type Manifest, parseManifests, parseYaml } from "@capstan/model";

/** What an installation is made with; kept in the cluster, so that an upgrade makes the same. */
export interface InstallationChoice {
  /** With rights in its own namespace alone. */
  readonly namespaced: boolean;
  readonly highAvailability: boolean;
  /** With its tag or digest; empty: the version's own. */
  readonly image: string;
}

/** Of everything that is installed: the namespace that the installation is in. */
export const installedLabel = "capstan.dev/installed-in";
export const tokenSecret = "capstan-repo-server-token";

const folder = join(import.meta.dirname, "..", "..", "deploy", "capstan");
/** The namespace that the bases are made for, also in the names of what lies in none. */
const written = "argocd";

/** The objects of the Kustomize bases, as an overlay would make them. */
export async function readBase(namespace: string, choice: InstallationChoice): Promise<Manifest[]> {
  const base = await read(choice.namespaced ? "namespaced/install.yaml" : "cluster-wide/install.yaml");
  const more = choice.highAvailability ? await read("high-availability/objects.yaml") : [];
  const counts = choice.highAvailability ? await readCounts() : new Map();
  const scaled = new Set(
    more.filter(({ kind }) => kind === "HorizontalPodAutoscaler").map(({ metadata }) => metadata.name),
  );
  return [...base, ...more].map((manifest) => {
    const placed = place(manifest, namespace);
    if (placed.kind !== "Deployment" || !isRecord(placed.spec)) return placed;
    const { replicas: one, ...spec } = placed.spec;
    const own = choice.image === "" ? spec : withImage(spec, choice.image);
    const { name } = placed.metadata;
    return { ...placed, spec: scaled.has(name) ? own : { ...own, replicas: counts.get(name) ?? one } };
  });
}

/** By the Deployment's name: what the Kustomize component says. */
async function readCounts(): Promise<ReadonlyMap<unknown, unknown>> {
  const component = parseYaml(
    await readFile(join(folder, "high-availability", "kustomization.yaml"), "utf8"),
  );
  const replicas = isRecord(component) && Array.isArray(component.replicas) ? component.replicas : [];
  return new Map(replicas.filter(isRecord).map(({ name, count }) => [name, count]));
}

async function read(name: string): Promise<Manifest[]> {
  return parseManifests(await readFile(join(folder, name), "utf8"));
}

function place(manifest: Manifest, namespace: string): Manifest {
  const { metadata } = manifest;
  const labels = { ...metadata.labels, [installedLabel]: namespace };
  const isPlaced = metadata.namespace !== undefined;
  const name = isPlaced ? metadata.name : moved(metadata.name, namespace);
  const subjects = Array.isArray(manifest.subjects)
    ? { subjects: manifest.subjects.map((one) => (isRecord(one) ? { ...one, namespace } : one)) }
    : {};
  const role = isRecord(manifest.roleRef) && !isPlaced ? { roleRef: { ...manifest.roleRef, name } } : {};
  const data =
    isRecord(manifest.stringData) && "namespaces" in manifest.stringData
      ? { stringData: { ...manifest.stringData, namespaces: namespace } }
      : {};
  return {
    ...manifest,
    ...subjects,
    ...role,
    ...data,
    metadata: {
      ...metadata,
      ...(name === undefined ? {} : { name }),
      labels,
      ...(isPlaced ? { namespace } : {}),
    },
  };
}

const moved = (name: string | undefined, namespace: string): string =>
  (name ?? "").replace(new RegExp(`-${written}$`), `-${namespace}`);

function withImage(spec: Record<string, unknown>, image: string): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(spec, (key, value) => (key === "image" && typeof value === "string" ? image : value)),
  );
}
