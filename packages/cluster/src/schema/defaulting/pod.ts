import { isObject, type JsonObject, listAt, objectAt, textAt } from "../json.ts";

/** `:latest`, and no tag at all unless there is a digest, is always pulled. */
function pullPolicyOf(image: string): string {
  const name = image.slice(image.lastIndexOf("/") + 1);
  const tag = name.split("@")[0]?.split(":")[1];
  if (image === "") return "IfNotPresent";
  return tag === "latest" || (tag === undefined && !name.includes("@")) ? "Always" : "IfNotPresent";
}

export function defaultContainer(fields: JsonObject): void {
  fields.imagePullPolicy ??= pullPolicyOf(textAt(fields, "image"));
}

/** The old name and the new one are the same field. */
export function defaultPodSpec(fields: JsonObject): void {
  const account = fields.serviceAccountName ?? fields.serviceAccount;
  if (account === undefined) return;
  fields.serviceAccountName = account;
  fields.serviceAccount = account;
}

export function defaultPod(fields: JsonObject): void {
  const spec: JsonObject = { enableServiceLinks: true, ...objectAt(fields, "spec") };
  for (const list of ["containers", "initContainers"])
    if (Array.isArray(spec[list]))
      spec[list] = listAt(spec, list).map((item) =>
        isObject(item) ? podContainer(item, spec.hostNetwork === true) : item,
      );
  fields.spec = spec;
}

/** Only in a Pod itself, not in templates: limits stand in for requests, host ports follow the container's. */
function podContainer(item: JsonObject, hostNetwork: boolean): JsonObject {
  const limits = objectAt(item, "resources", "limits");
  const requests = { ...limits, ...objectAt(item, "resources", "requests") };
  const out: JsonObject = limits
    ? { ...item, resources: { ...objectAt(item, "resources"), requests } }
    : { ...item };
  if (hostNetwork && Array.isArray(item.ports))
    out.ports = item.ports.map((port) => (isObject(port) ? { hostPort: port.containerPort, ...port } : port));
  return out;
}

export function defaultPodStatus(fields: JsonObject): void {
  const ips = listAt(fields, "podIPs");
  if (ips.length === 0 && textAt(fields, "podIP")) fields.podIPs = [{ ip: fields.podIP }];
  else if (ips.length > 0) fields.podIP ??= textAt(ips[0], "ip");
}

/** The fields of a Volume that are no source. */
const volumeOwn = new Set(["name"]);

export function defaultVolume(fields: JsonObject): void {
  if (Object.keys(fields).every((key) => volumeOwn.has(key))) fields.emptyDir = {};
}

export function defaultImageVolume(fields: JsonObject): void {
  const reference = textAt(fields, "reference");
  fields.pullPolicy ??= pullPolicyOf(reference);
}
