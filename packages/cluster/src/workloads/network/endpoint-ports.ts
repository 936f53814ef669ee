import type { Pod } from "../kinds.ts";
import type { EndpointPort, Service, ServicePort } from "./kinds.ts";

/** The numbers that a Service's ports have on one Pod; ports that it does not have are left out. */
export function portsFor(service: Service, pod: Pod): EndpointPort[] {
  return (service.spec.ports ?? []).flatMap((port) => {
    const number = targetPort(port, pod);
    if (number === undefined) return [];
    const { name = "", protocol = "TCP", appProtocol } = port;
    return { name, port: number, protocol, ...(appProtocol !== undefined && { appProtocol }) };
  });
}

function targetPort(
  { port, targetPort: target, protocol = "TCP" }: ServicePort,
  pod: Pod,
): number | undefined {
  if (target === undefined || target === 0 || target === "") return port;
  if (typeof target === "number") return target;
  for (const { ports = [] } of pod.spec.containers) {
    const named = ports.find((one) => one.name === target && (one.protocol ?? "TCP") === protocol);
    if (named) return named.containerPort;
  }
  return undefined;
}
