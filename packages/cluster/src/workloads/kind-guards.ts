import type { KubeObject } from "../types.ts";
import type { Job } from "./batch/kinds.ts";
import type { ControllerRevision, Pod, ReplicaSet } from "./kinds.ts";
import type { EndpointSlice, Service } from "./network/kinds.ts";

export function isPod(object: KubeObject): object is Pod {
  return object.kind === "Pod" && object.apiVersion === "v1";
}

export function isReplicaSet(object: KubeObject): object is ReplicaSet {
  return object.kind === "ReplicaSet" && object.apiVersion === "apps/v1";
}

export function isControllerRevision(object: KubeObject): object is ControllerRevision {
  return object.kind === "ControllerRevision" && object.apiVersion === "apps/v1";
}

export function isJob(object: KubeObject): object is Job {
  return object.kind === "Job" && object.apiVersion === "batch/v1";
}

export function isEndpointSlice(object: KubeObject): object is EndpointSlice {
  return object.kind === "EndpointSlice" && object.apiVersion === "discovery.k8s.io/v1";
}

/** As written by a client: not validated yet. */
export function isService(object: KubeObject): object is Service {
  return object.kind === "Service" && typeof object.spec === "object" && object.spec !== null;
}
