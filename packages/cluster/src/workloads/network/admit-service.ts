import { isIP } from "node:net";
import { ApiError, type FieldError, type KubeObject, type Objects } from "../../types.ts";
import { isService, type Service, type ServicePort, type ServiceSpec } from "./kinds.ts";
import { type NumberPool, servicePools } from "./service-pools.ts";

/**
 * What kube-apiserver gives a Service before it is stored: cluster IP, IP families and node ports, carried over from
 * the previous version where an update leaves them out (pkg/registry/core/service/storage).
 */
export function admitService(
  service: KubeObject,
  previous: KubeObject | undefined,
  objects: Objects,
): KubeObject {
  if (!isService(service)) return service;
  const before = previous && isService(previous) ? previous.spec : undefined;
  const pools = servicePools(objects);
  const problems: FieldError[] = [];
  const request: Request = { service, before, problems };
  const withAddress = giveAddress(request, pools.addresses, carryOver(service.spec, before));
  const spec = givePorts(request, pools.nodePorts, withAddress);
  if (problems.length > 0) throw invalid(service, problems);
  return { ...service, spec };
}

interface Request {
  service: Service;
  before: ServiceSpec | undefined;
  problems: FieldError[];
}

function needsAddress({ type = "ClusterIP" }: ServiceSpec): boolean {
  return type !== "ExternalName";
}

function needsNodePorts({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean {
  return type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts !== false);
}

/** As patchAllocatedValues and dropTypeDependentFields. */
function carryOver(spec: ServiceSpec, before: ServiceSpec | undefined): ServiceSpec {
  if (!before) return spec;
  let next = spec;
  if (needsAddress(before) && needsAddress(spec) && !spec.clusterIP && before.clusterIP) {
    next = {
      ...next,
      clusterIP: before.clusterIP,
      ...(before.clusterIPs && { clusterIPs: before.clusterIPs }),
    };
  }
  if (needsAddress(before) && !needsAddress(spec) && spec.clusterIP === before.clusterIP) {
    const {
      clusterIP: _ip,
      clusterIPs: _ips,
      ipFamilies: _families,
      ipFamilyPolicy: _policy,
      ...rest
    } = next;
    next = rest;
  }
  if (needsNodePorts(before) && needsNodePorts(spec))
    return { ...next, ports: withKnownPorts(next.ports, before.ports) };
  if (needsNodePorts(before) && spec.type !== "NodePort" && spec.type !== "LoadBalancer") {
    return { ...next, ports: withoutKnownPorts(next.ports, before.ports) };
  }
  return next;
}

function withKnownPorts(
  ports: readonly ServicePort[] = [],
  before: readonly ServicePort[] = [],
): ServicePort[] {
  const taken = new Set(ports.map(({ nodePort }) => nodePort));
  return ports.map((port) => {
    const { nodePort } =
      before.find((one) => one.port === port.port && protocolOf(one) === protocolOf(port)) ?? {};
    return port.nodePort || !nodePort || taken.has(nodePort) ? port : { ...port, nodePort };
  });
}

function withoutKnownPorts(
  ports: readonly ServicePort[] = [],
  before: readonly ServicePort[] = [],
): ServicePort[] {
  const known = new Set(before.map(({ nodePort }) => nodePort));
  return ports.map((port) => {
    const { nodePort, ...rest } = port;
    return nodePort !== undefined && known.has(nodePort) ? rest : port;
  });
}

function giveAddress(request: Request, pool: NumberPool, spec: ServiceSpec): ServiceSpec {
  if (!needsAddress(spec)) return spec;
  const families = {
    ipFamilies: spec.ipFamilies ?? ["IPv4"],
    ipFamilyPolicy: spec.ipFamilyPolicy ?? "SingleStack",
  };
  const asked = spec.clusterIP || spec.clusterIPs?.[0] || apiServerAddress(request.service);
  if (asked === "None") return { ...spec, clusterIP: "None", clusterIPs: ["None"], ...families };
  const clusterIP = asked ?? pool.take();
  if (clusterIP === undefined) {
    const message = "Invalid value: null: failed to allocate a serviceIP: range is full";
    request.problems.push({ reason: "FieldValueInvalid", field: "spec.clusterIPs", message });
    return spec;
  }
  // What is no address, and a change of one that was given, is for the validation to refuse.
  const known = request.before?.clusterIP;
  const isNew = asked !== undefined && !known && isIP(asked) !== 0;
  if (isNew) claimAddress(request, pool, asked);
  return { ...spec, clusterIP, clusterIPs: [clusterIP], ...families };
}

/** The first address of the range is the API server's own. */
function apiServerAddress({ metadata }: Service): string | undefined {
  return metadata.namespace === "default" && metadata.name === "kubernetes" ? "10.96.0.1" : undefined;
}

function claimAddress({ problems }: Request, pool: NumberPool, asked: string): void {
  const refusal = pool.claim(asked);
  if (refusal === undefined) return;
  const message = `Invalid value: ["${asked}"]: failed to allocate IP ${asked}: ${refusal}`;
  problems.push({ reason: "FieldValueInvalid", field: "spec.clusterIPs", message });
}

function givePorts(request: Request, pool: NumberPool, spec: ServiceSpec): ServiceSpec {
  const known = new Set((request.before?.ports ?? []).map(({ nodePort }) => nodePort));
  const given = new Map<string, number>();
  const ports = (spec.ports ?? []).map((port, at) => {
    if (port.nodePort) {
      if (!known.has(port.nodePort)) claimPort(request, pool, { at, port: port.nodePort });
      given.set(`${port.port}`, port.nodePort);
      return port;
    }
    if (!needsNodePorts(spec)) return port;
    // One port number under two protocols gets one node port.
    const nodePort = given.get(`${port.port}`) ?? Number(pool.take());
    given.set(`${port.port}`, nodePort);
    return { ...port, nodePort };
  });
  const next = spec.ports ? { ...spec, ports } : spec;
  const checksHealth = spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local";
  if (!checksHealth || spec.healthCheckNodePort) return next;
  return { ...next, healthCheckNodePort: request.before?.healthCheckNodePort ?? Number(pool.take()) };
}

function claimPort(
  { problems, service }: Request,
  pool: NumberPool,
  { at, port }: { at: number; port: number },
): void {
  const isShared = (service.spec.ports ?? []).findIndex(({ nodePort }) => nodePort === port) < at;
  const refusal = isShared ? undefined : pool.claim(String(port));
  if (refusal === undefined) return;
  const message = `Invalid value: ${port}: ${refusal}`;
  problems.push({ reason: "FieldValueInvalid", field: `spec.ports[${at}].nodePort`, message });
}

function protocolOf({ protocol = "TCP" }: ServicePort): string {
  return protocol;
}

function invalid({ metadata }: Service, causes: readonly FieldError[]): ApiError {
  const { name = "" } = metadata;
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  const text = texts.length === 1 ? texts.join("") : `[${texts.join(", ")}]`;
  return new ApiError(422, "Invalid", `Service "${name}" is invalid: ${text}`, {
    name,
    kind: "Service",
    causes,
  });
}
