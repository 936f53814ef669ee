import { sameJson } from "../../schema/json.ts";
import { ApiError } from "../../types.ts";
import type { Context } from "../controller.ts";
import type { Pod } from "../kinds.ts";
import { isDeleting } from "../owners.ts";
import { isReady } from "../pod-readiness.ts";
import { resourceTypes } from "../resource-types.ts";
import { portsFor } from "./endpoint-ports.ts";
import type { Endpoints, Service } from "./kinds.ts";

/** An Endpoints object holds at most this many addresses: pkg/controller/endpoint maxCapacity. */
const mostAddresses = 1_000;

/** The older form of the same facts, under the Service's own name. */
export async function writeEndpoints(
  { objects }: Context,
  service: Service,
  pods: readonly Pod[],
): Promise<void> {
  const { name = "", namespace = "" } = service.metadata;
  const type = resourceTypes.endpoints;
  const known = objects.get<Endpoints>(type, namespace, name);
  const labels = {
    ...service.metadata.labels,
    ...(service.spec.clusterIP === "None" && { "service.kubernetes.io/headless": "" }),
    "endpoints.kubernetes.io/managed-by": "endpoint-controller",
  };
  const subsets = subsetsOf(service, pods.slice(0, mostAddresses));
  if (known) {
    if (sameJson(known.subsets ?? [], subsets) && sameJson(known.metadata.labels, labels)) return;
    await objects.update<Endpoints>(type, { ...known, metadata: { ...known.metadata, labels }, subsets });
    return;
  }
  const endpoints: Endpoints = {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { name, namespace, labels },
    subsets,
  };
  try {
    await objects.create<Endpoints>(type, endpoints);
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== "AlreadyExists") throw error;
  }
}

function subsetsOf(service: Service, pods: readonly Pod[]): Record<string, unknown>[] {
  const subsets = new Map<string, { addresses: object[]; notReadyAddresses: object[]; ports: object[] }>();
  for (const pod of pods) {
    if (isDeleting(pod)) continue;
    const ports = portsFor(service, pod).map(({ name, ...port }) => (name === "" ? port : { name, ...port }));
    const id = JSON.stringify(ports);
    const subset = subsets.get(id) ?? { addresses: [], notReadyAddresses: [], ports };
    subsets.set(id, subset);
    const isServed = isReady(pod) || service.spec.publishNotReadyAddresses === true;
    (isServed ? subset.addresses : subset.notReadyAddresses).push(addressOf(pod));
  }
  return [...subsets.values()].map((subset) =>
    Object.fromEntries(Object.entries(subset).filter(([, values]) => values.length > 0)),
  );
}

function addressOf(pod: Pod): object {
  const { name = "", namespace = "", uid = "" } = pod.metadata;
  return {
    ip: pod.status?.podIP,
    ...(pod.spec.nodeName !== undefined && { nodeName: pod.spec.nodeName }),
    targetRef: { kind: "Pod", name, namespace, uid },
  };
}
