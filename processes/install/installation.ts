import { randomBytes } from "node:crypto";
import { ExitError } from "@capstan/cli/record";
import type { Clock } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import { isAlreadyExists, isNotFound, type KubeClient } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import { installCrds } from "../surroundings/install-crds.ts";
import { type InstallationChoice, installedLabel, readBase, tokenSecret } from "./base.ts";

export interface Installing {
  readonly kube: KubeClient;
  readonly namespace: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  say(line: string): void;
}

const fieldManager = "capstan-install";
const choiceMap = "capstan-installation";
const pollMs = 1_000;

/** All that an installation of any version may have, in the order in which it is taken away. */
const kinds: readonly (readonly [string, string, "cluster" | "namespace"])[] = [
  ["autoscaling/v2", "HorizontalPodAutoscaler", "namespace"],
  ["apps/v1", "Deployment", "namespace"],
  ["policy/v1", "PodDisruptionBudget", "namespace"],
  ["networking.k8s.io/v1", "NetworkPolicy", "namespace"],
  ["v1", "Service", "namespace"],
  ["v1", "Secret", "namespace"],
  ["v1", "ConfigMap", "namespace"],
  ["rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "cluster"],
  ["rbac.authorization.k8s.io/v1", "ClusterRole", "cluster"],
  ["rbac.authorization.k8s.io/v1", "RoleBinding", "namespace"],
  ["rbac.authorization.k8s.io/v1", "Role", "namespace"],
  ["v1", "ServiceAccount", "namespace"],
];

/** What was chosen at the installation; undefined where `capstan install` has made none. */
export async function readChoice({
  kube,
  namespace,
  signal,
}: Installing): Promise<InstallationChoice | undefined> {
  const map = await kube.get({ apiVersion: "v1", kind: "ConfigMap", namespace, name: choiceMap }, signal);
  if (map === undefined) return undefined;
  const data = isRecord(map.data) ? map.data : {};
  return {
    namespaced: data.namespaced === "true",
    highAvailability: data.highAvailability === "true",
    image: typeof data.image === "string" ? data.image : "",
  };
}

/** Somebody else's parts in the namespace are not taken over. */
export async function refuseOthers({ kube, namespace, signal }: Installing): Promise<void> {
  const query = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    namespace,
    labelSelector: "app.kubernetes.io/part-of=capstan",
  };
  const { items } = await kube.list(query, signal);
  const other = items.find(({ metadata }) => metadata.labels?.[installedLabel] === undefined);
  if (other === undefined) return;
  const by = other.metadata.labels?.["app.kubernetes.io/managed-by"] === "Helm" ? "helm" : "another tool";
  throw new ExitError(
    `Deployment ${other.metadata.name} in ${namespace} was installed by ${by}: go on with that, or remove it first`,
    1,
  );
}

/** Applies everything, and takes away what the former version had and this one has not. */
export async function applyInstallation(of: Installing, choice: InstallationChoice): Promise<void> {
  const { kube, namespace, signal, say } = of;
  const wanted = await readBase(namespace, choice);
  await installCrds(of);
  say("CRDs are there");
  await createMissing(of, {
    ...{ apiVersion: "v1", kind: "Namespace" },
    metadata: { name: namespace, labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
  });
  const labels = { [installedLabel]: namespace };
  const token = Buffer.from(randomBytes(32).toString("base64url")).toString("base64");
  await createMissing(of, {
    ...{ apiVersion: "v1", kind: "Secret", type: "Opaque", data: { token } },
    metadata: { name: tokenSecret, namespace, labels },
  });
  const kept: Manifest = {
    ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: choiceMap, namespace, labels } },
    data: Object.fromEntries(Object.entries(choice).map(([key, value]) => [key, String(value)])),
  };
  const all = [kept, ...wanted.toSorted((one, other) => rank(other) - rank(one))];
  for (const manifest of all) await kube.apply(manifest, { fieldManager, force: true, signal });
  say(`${all.length} objects are applied`);
  const names = new Set([...all.map(identity), `Secret ${tokenSecret}`]);
  for (const surplus of await installed(of)) if (!names.has(identity(surplus))) await remove(of, surplus);
}

const rank = ({ kind }: Manifest): number => kinds.findIndex(([, other]) => other === kind);
const identity = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;

async function createMissing({ kube, signal }: Installing, manifest: Manifest): Promise<void> {
  try {
    await kube.create(manifest, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/** In the order of `kinds`. */
async function installed({ kube, namespace, signal }: Installing): Promise<Manifest[]> {
  const found: Manifest[] = [];
  for (const [apiVersion, kind, scope] of kinds) {
    const where = scope === "namespace" ? { namespace } : {};
    const { items } = await kube.list(
      { apiVersion, kind, ...where, labelSelector: `${installedLabel}=${namespace}` },
      signal,
    );
    found.push(...items.map((item) => ({ ...item, apiVersion, kind })));
  }
  return found;
}

async function remove(
  { kube, signal, say }: Installing,
  { apiVersion, kind, metadata }: Manifest,
): Promise<void> {
  const { namespace, name = "" } = metadata;
  await kube.delete({ apiVersion, kind, namespace, name }, { signal }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  say(`${kind} ${name} is removed`);
}

export async function removeInstallation(of: Installing): Promise<void> {
  for (const object of await installed(of)) await remove(of, object);
}

/** Until every Deployment has what it wants of its newest version; rejects, naming those that have not, at the signal's end. */
export async function waitForParts(of: Installing, limit: AbortSignal): Promise<void> {
  const { kube, namespace, clock, signal } = of;
  const query = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    namespace,
    labelSelector: `${installedLabel}=${namespace}`,
  };
  for (;;) {
    const { items } = await kube.list(query, signal);
    const waiting = items.filter((item) => !isReady(item)).map(({ metadata }) => metadata.name);
    if (waiting.length === 0) return;
    if (limit.aborted)
      throw new ExitError(`not ready: ${waiting.join(", ")}; kubectl get pods -n ${namespace} says why`, 1);
    await clock.sleep(pollMs, signal);
  }
}

/** Whether a Deployment has as many Pods of its newest version as it wants, and they answer. */
export function isReady({ metadata, spec, status }: Manifest): boolean {
  if (!isRecord(spec) || !isRecord(status) || status.observedGeneration !== metadata.generation) return false;
  const wanted = Number(spec.replicas ?? 1);
  return Number(status.updatedReplicas ?? 0) >= wanted && Number(status.availableReplicas ?? 0) >= wanted;
}
