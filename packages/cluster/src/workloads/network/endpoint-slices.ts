import { sameJson } from "../../schema/json.ts";
import { ApiError, type KubeObject } from "../../types.ts";
import { dependents } from "../claim-dependents.ts";
import { type Context, type Controller, keyOf, lookUp, ownChanges } from "../controller.ts";
import type { Pod } from "../kinds.ts";
import { randomSuffix } from "../names.ts";
import { controllerReference, isDeleting, ownerKeys } from "../owners.ts";
import { isEnded, isReady } from "../pod-readiness.ts";
import { resourceTypes } from "../resource-types.ts";
import { SelectorIndex } from "../selector-index.ts";
import { portsFor } from "./endpoint-ports.ts";
import { writeEndpoints } from "./endpoints.ts";
import {
  type Endpoint,
  type EndpointPort,
  type EndpointSlice,
  isEndpointSlice,
  type Service,
} from "./kinds.ts";

/** --max-endpoints-per-slice */
const mostPerSlice = 100;

/** EndpointSlices and Endpoints of Services with a selector. */
export function endpointSlices(context: Context): Controller {
  const { objects } = context;
  const services = new SelectorIndex({ objects, type: resourceTypes.services, selectorOf });
  const selectedBefore = new Map<string, string[]>();
  return {
    name: "endpointslice-controller",
    watches: [
      ownChanges(resourceTypes.services),
      { type: resourceTypes.endpointSlices, keysOf: (slice) => ownerKeys(slice, "Service", "v1") },
      {
        type: resourceTypes.pods,
        keysOf(pod, change) {
          const selecting = services.selecting(pod.metadata.namespace ?? "", pod.metadata.labels);
          const before = selectedBefore.get(keyOf(pod)) ?? [];
          if (change === "DELETED" || selecting.length === 0) selectedBefore.delete(keyOf(pod));
          else selectedBefore.set(keyOf(pod), selecting);
          return new Set([...selecting, ...before]);
        },
      },
    ],
    async reconcile(key) {
      const service = lookUp<Service>(objects, resourceTypes.services, key);
      if (!service || isDeleting(service) || !hasSelector(service)) return undefined;
      const pods = podsOf(context, service);
      await writeSlices(context, service, groupByPorts(service, pods));
      await writeEndpoints(context, service, pods);
      return undefined;
    },
  };
}

function selectorOf(service: KubeObject) {
  return isSelecting(service) ? { matchLabels: service.spec.selector } : undefined;
}

function isSelecting(object: KubeObject): object is Service & { spec: { selector: Record<string, string> } } {
  const { spec } = object;
  return typeof spec === "object" && spec !== null && "selector" in spec && typeof spec.selector === "object";
}

function hasSelector({ spec }: Service): boolean {
  return spec.type !== "ExternalName" && Object.keys(spec.selector ?? {}).length > 0;
}

function podsOf({ podLabels }: Context, { metadata, spec }: Service): Pod[] {
  const pods = podLabels.select<Pod>(metadata.namespace ?? "", { matchLabels: spec.selector ?? {} });
  const addressed = pods.filter((pod) => pod.status?.podIP !== undefined && !isEnded(pod));
  return addressed.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

interface Group {
  ports: EndpointPort[];
  endpoints: Endpoint[];
}

/** Pods for which the ports have the same numbers share slices: a named target port may differ from Pod to Pod. */
function groupByPorts(service: Service, pods: readonly Pod[]): Group[] {
  const groups = new Map<string, Group>();
  for (const pod of pods) {
    const ports = portsFor(service, pod);
    const id = JSON.stringify(ports);
    const group = groups.get(id) ?? { ports, endpoints: [] };
    groups.set(id, group);
    group.endpoints.push(endpointOf(service, pod));
  }
  if (groups.size === 0) return [{ ports: [], endpoints: [] }];
  return [...groups.values()].flatMap(({ ports, endpoints }) => {
    const chunks: Group[] = [];
    for (let at = 0; at < endpoints.length; at += mostPerSlice) {
      chunks.push({ ports, endpoints: endpoints.slice(at, at + mostPerSlice) });
    }
    return chunks;
  });
}

function endpointOf(service: Service, pod: Pod): Endpoint {
  const { name = "", namespace = "", uid = "" } = pod.metadata;
  const serving = isReady(pod);
  const terminating = isDeleting(pod);
  const ready = service.spec.publishNotReadyAddresses === true || (serving && !terminating);
  const { hostname, subdomain, nodeName } = pod.spec;
  const isNamed = hostname !== undefined && hostname !== "" && subdomain === service.metadata.name;
  return {
    addresses: [pod.status?.podIP ?? ""],
    conditions: { ready, serving, terminating },
    ...(isNamed && { hostname }),
    ...(nodeName !== undefined && { nodeName }),
    targetRef: { kind: "Pod", namespace, name, uid },
  };
}

async function writeSlices(context: Context, service: Service, groups: readonly Group[]): Promise<void> {
  const { objects } = context;
  const type = resourceTypes.endpointSlices;
  const known = dependents(objects, service, isEndpointSlice).filter((slice) => !isDeleting(slice));
  known.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  for (const group of groups) {
    const slice = known.shift();
    if (!slice) await objects.create(type, newSlice(service, group));
    else if (!isSame(slice, service, group)) {
      const labels = sliceLabels(service);
      await objects.update(type, { ...slice, metadata: { ...slice.metadata, labels }, ...group });
    }
  }
  for (const { metadata } of known) await deleteSlice(context, metadata);
}

async function deleteSlice(
  { objects }: Context,
  { namespace = "", name = "" }: KubeObject["metadata"],
): Promise<void> {
  try {
    await objects.delete(resourceTypes.endpointSlices, namespace, name);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 404) throw error;
  }
}

function isSame(slice: EndpointSlice, service: Service, { ports, endpoints }: Group): boolean {
  return (
    sameJson(slice.endpoints ?? [], endpoints) &&
    sameJson(slice.ports ?? [], ports) &&
    sameJson(slice.metadata.labels, sliceLabels(service))
  );
}

function sliceLabels(service: Service): Record<string, string> {
  return {
    ...service.metadata.labels,
    ...(service.spec.clusterIP === "None" && { "service.kubernetes.io/headless": "" }),
    "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
    "kubernetes.io/service-name": service.metadata.name ?? "",
  };
}

function newSlice(service: Service, group: Group): EndpointSlice {
  const { name = "", namespace = "" } = service.metadata;
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `${name.slice(0, 57)}-${randomSuffix()}`,
      generateName: `${name}-`,
      namespace,
      labels: sliceLabels(service),
      ownerReferences: [controllerReference(service)],
    },
    addressType: "IPv4",
    ...group,
  };
}
