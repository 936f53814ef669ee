import type { KubeObject, Objects } from "../../types.ts";
import type { Container, NamedReference, PersistentVolumeClaim, Pod, Volume } from "../kinds.ts";
import { resourceTypes } from "../resource-types.ts";

/** Something that a Pod waits for. `wants` is "<type> <namespace>/<name>". */
export interface MissingNeed {
  wants: string;
  message: string;
  volume?: string;
}

/** The first claim that keeps the Pod from being scheduled. */
export function missingClaim(pod: Pod, objects: Objects): MissingNeed | undefined {
  const { namespace = "" } = pod.metadata;
  for (const volume of pod.spec.volumes ?? []) {
    const name = volume.persistentVolumeClaim?.claimName;
    if (name === undefined) continue;
    const wants = wantsKey(resourceTypes.persistentVolumeClaims, namespace, name);
    const claim = objects.get<PersistentVolumeClaim>(resourceTypes.persistentVolumeClaims, namespace, name);
    if (!claim) return { wants, message: `persistentvolumeclaim "${name}" not found` };
    if (claim.status?.phase !== "Bound") {
      return { wants, message: "pod has unbound immediate PersistentVolumeClaims" };
    }
  }
  return undefined;
}

/** The first ConfigMap or Secret that a volume cannot do without. */
export function missingVolume(pod: Pod, objects: Objects): MissingNeed | undefined {
  for (const volume of pod.spec.volumes ?? []) {
    for (const { type, kind, reference } of volumeReferences(volume)) {
      const missing = missingReference(pod, objects, { type, kind, reference });
      if (missing) return { ...missing, volume: volume.name };
    }
  }
  return undefined;
}

/** The first ConfigMap, Secret or key of one that a container's environment cannot do without. */
export function missingEnvironment(pod: Pod, objects: Objects): MissingNeed | undefined {
  for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
    for (const need of environmentReferences(container)) {
      const missing = missingReference(pod, objects, need);
      if (missing) return missing;
    }
  }
  return undefined;
}

export function wantsKey(type: string, namespace: string, name: string): string {
  return `${type} ${namespace}/${name}`;
}

interface Need {
  type: string;
  kind: "configmap" | "secret";
  reference: NamedReference;
}

function configMapNeed(reference: NamedReference): Need {
  return { type: resourceTypes.configMaps, kind: "configmap", reference };
}

function secretNeed(reference: NamedReference): Need {
  return { type: resourceTypes.secrets, kind: "secret", reference };
}

function* volumeReferences(volume: Volume): Iterable<Need> {
  if (volume.configMap) yield configMapNeed(volume.configMap);
  if (volume.secret) {
    const { secretName, optional } = volume.secret;
    yield secretNeed({
      ...(secretName !== undefined && { name: secretName }),
      ...(optional && { optional }),
    });
  }
  for (const { configMap, secret } of volume.projected?.sources ?? []) {
    if (configMap) yield configMapNeed(configMap);
    if (secret) yield secretNeed(secret);
  }
}

function* environmentReferences(container: Container): Iterable<Need> {
  for (const { configMapRef, secretRef } of container.envFrom ?? []) {
    if (configMapRef) yield configMapNeed(configMapRef);
    if (secretRef) yield secretNeed(secretRef);
  }
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.configMapKeyRef) yield configMapNeed(valueFrom.configMapKeyRef);
    if (valueFrom?.secretKeyRef) yield secretNeed(valueFrom.secretKeyRef);
  }
}

function missingReference(
  pod: Pod,
  objects: Objects,
  { type, kind, reference }: Need,
): MissingNeed | undefined {
  const { name, key, optional } = reference;
  if (optional || name === undefined) return undefined;
  const { namespace = "" } = pod.metadata;
  const wants = wantsKey(type, namespace, name);
  const object = objects.get(type, namespace, name);
  if (!object) return { wants, message: `${kind} "${name}" not found` };
  if (key === undefined || hasKey(object, key)) return undefined;
  const title = kind === "secret" ? "Secret" : "ConfigMap";
  return { wants, message: `couldn't find key ${key} in ${title} ${namespace}/${name}` };
}

function hasKey(object: KubeObject, key: string): boolean {
  return [object.data, object.binaryData].some(
    (data) => typeof data === "object" && data !== null && key in data,
  );
}
