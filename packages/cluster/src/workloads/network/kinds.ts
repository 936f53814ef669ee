import type { KubeObject } from "../../types.ts";
import type { IntOrString } from "../kinds.ts";

export interface ServicePort {
  name?: string;
  protocol?: string;
  appProtocol?: string;
  port: number;
  targetPort?: IntOrString;
  nodePort?: number;
}

export interface ServiceSpec {
  type?: string;
  clusterIP?: string;
  clusterIPs?: readonly string[];
  ipFamilies?: readonly string[];
  ipFamilyPolicy?: string;
  ports?: readonly ServicePort[];
  selector?: Record<string, string>;
  externalTrafficPolicy?: string;
  allocateLoadBalancerNodePorts?: boolean;
  healthCheckNodePort?: number;
  loadBalancerClass?: string;
  publishNotReadyAddresses?: boolean;
  [field: string]: unknown;
}

export interface Service extends KubeObject {
  spec: ServiceSpec;
  status?: { loadBalancer?: { ingress?: readonly { ip?: string; hostname?: string; ipMode?: string }[] } };
}

export interface TargetReference {
  kind: string;
  namespace: string;
  name: string;
  uid: string;
}

export interface Endpoint {
  addresses: readonly string[];
  conditions: { ready: boolean; serving: boolean; terminating: boolean };
  hostname?: string;
  nodeName?: string;
  targetRef: TargetReference;
}

export interface EndpointPort {
  name: string;
  port: number;
  protocol: string;
  appProtocol?: string;
}

export interface EndpointSlice extends KubeObject {
  addressType: string;
  endpoints: readonly Endpoint[];
  ports: readonly EndpointPort[];
}

export interface Endpoints extends KubeObject {
  subsets?: readonly Record<string, unknown>[];
}

export interface Ingress extends KubeObject {
  status?: { loadBalancer?: { ingress?: readonly { ip?: string; hostname?: string }[] } };
}

export function isEndpointSlice(object: KubeObject): object is EndpointSlice {
  return object.kind === "EndpointSlice" && object.apiVersion === "discovery.k8s.io/v1";
}

/** As written by a client: not validated yet. */
export function isService(object: KubeObject): object is Service {
  return object.kind === "Service" && typeof object.spec === "object" && object.spec !== null;
}
