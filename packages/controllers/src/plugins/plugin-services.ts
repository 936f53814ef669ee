import { isRecord } from "@capstan/formats";
import { annotationKeys, labelKeys, type Manifest } from "@capstan/model";
import type { PluginEndpoint, PluginService } from "@capstan/wire";

const serviceNameLabel = "kubernetes.io/service-name";

/** The plugins that the objects of the control namespace offer, in name order. */
export function readPluginServices(
  services: Iterable<Manifest>,
  slices: Iterable<Manifest>,
): PluginService[] {
  const bySlice = new Map<string, PluginEndpoint[]>();
  for (const slice of slices) {
    const service = slice.metadata.labels?.[serviceNameLabel];
    if (service === undefined) continue;
    bySlice.set(service, [...(bySlice.get(service) ?? []), ...endpointsOf(slice)]);
  }
  const found: PluginService[] = [];
  for (const service of services) {
    const { name = "", namespace = "", labels, annotations } = service.metadata;
    if (labels?.[labelKeys.plugin] !== "true") continue;
    const pluginName = annotations?.[annotationKeys.pluginName];
    const pluginVersion = annotations?.[annotationKeys.pluginVersion];
    const authority = annotations?.[annotationKeys.pluginAuthority];
    const external = externalEndpoint(service);
    found.push({
      name,
      ...(pluginName ? { pluginName } : {}),
      ...(pluginVersion ? { pluginVersion } : {}),
      ...(annotations?.[annotationKeys.pluginPlaintext] === "true" ? { plaintext: true } : {}),
      ...(authority === undefined ? {} : { authority }),
      // By which the API server calls webhooks and aggregated APIs, so that issuers know how to make it.
      ...(external ? {} : { serverName: `${name}.${namespace}.svc` }),
      endpoints: external ?? preferReady(distinct(bySlice.get(name) ?? [])),
    });
  }
  return found.sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** A Service that is only another name for a host: a plugin on a person's machine. */
function externalEndpoint({ metadata, spec }: Manifest): PluginEndpoint[] | undefined {
  if (!isRecord(spec) || spec.type !== "ExternalName") return undefined;
  const host = spec.externalName;
  const [port] = Array.isArray(spec.ports) ? spec.ports : [];
  const isComplete = typeof host === "string" && isRecord(port) && typeof port.port === "number";
  if (!isComplete) return [];
  const { name = "", uid = "" } = metadata;
  return [{ host, port: Number(port.port), process: uid, workload: `${name} ${uid}` }];
}

/**
 * Where none is ready, those that are not: a server may be too busy for its probe and answer all the same, and one that
 * is away does not.
 */
function preferReady(endpoints: PluginEndpoint[]): PluginEndpoint[] {
  const ready = endpoints.filter(({ isUnready }) => !isUnready);
  return ready.length > 0 ? ready : endpoints;
}

/** Of Pods that are not about to end (KEP-1672). */
function endpointsOf({ endpoints, ports }: Manifest): PluginEndpoint[] {
  const [port] = (Array.isArray(ports) ? ports : []).filter(isRecord);
  if (typeof port?.port !== "number" || !Array.isArray(endpoints)) return [];
  const number = port.port;
  return endpoints.filter(isRecord).flatMap(({ addresses, conditions, targetRef }) => {
    const [host] = Array.isArray(addresses) ? addresses : [];
    if (typeof host !== "string") return [];
    const { ready, terminating } = isRecord(conditions) ? conditions : {};
    if (terminating === true) return [];
    const pod = isRecord(targetRef) && typeof targetRef.name === "string" ? targetRef.name : host;
    const uid = isRecord(targetRef) && typeof targetRef.uid === "string" ? targetRef.uid : "";
    const unready = ready === false ? { isUnready: true } : {};
    const workload = pod.replace(/-[a-z0-9]{5}$/, "");
    return [{ host, port: number, process: `${pod} ${uid}`, workload, ...unready }];
  });
}

/** An address may stand in two slices while it moves from one to the other. */
function distinct(endpoints: readonly PluginEndpoint[]): PluginEndpoint[] {
  const byAddress = new Map(endpoints.map((one) => [`${one.host}:${one.port}`, one]));
  return [...byAddress.entries()].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, one]) => one);
}
