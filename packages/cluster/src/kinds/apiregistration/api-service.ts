import { listAt, numberAt, objectAt, textAt } from "../../schema/json.ts";
import { conditionOf } from "../../schema/tables/cells.ts";
import { label1035Name, portNumber, subdomainName } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import { apiServices } from "../../workloads/policy/api-services.ts";
import type { Kind } from "../kind.ts";

export const apiService: Kind = {
  group: "apiregistration.k8s.io",
  resource: "apiservices",
  storageKey: "apiregistration.k8s.io/apiservices",
  nameSyntax: versionAndGroup,
  isGenerallyValidated: true,
  versionedUpdates: true,
  prepare: prepareApiService,
  validate: validateApiService,
  validateStatus: validateApiServiceStatus,
  cells: {
    Service(object) {
      const service = objectAt(object, "spec", "service");
      return service ? `${textAt(service, "namespace")}/${textAt(service, "name")}` : "Local";
    },
    Available(object) {
      const condition = conditionOf(object, "Available");
      const status = textAt(condition, "status");
      const reason = textAt(condition, "reason");
      if (!condition) return "Unknown";
      return status === "True" || !reason ? status : `${status} (${reason})`;
    },
  },
  simulation: { make: apiServices },
};

/** kube-aggregator's strategy: what no other server serves is available at once. */
function prepareApiService(object: KubeObject, previous: KubeObject | undefined): KubeObject {
  if (previous || objectAt(object, "spec", "service")) return object;
  const available = {
    type: "Available",
    status: "True",
    lastTransitionTime: object.metadata.creationTimestamp,
    reason: "Local",
    message: "Local APIServices are always available",
  };
  return { ...object, status: { ...objectAt(object, "status"), conditions: [available] } };
}

function versionAndGroup(name: string, { spec }: KubeObject): string[] {
  const wanted = `${textAt(spec, "version")}.${textAt(spec, "group")}`;
  return name === wanted ? [] : [`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`];
}

function validateApiService(report: Report, object: KubeObject, previous?: KubeObject): void {
  const spec = objectAt(object, "spec");
  const [group, version] = [textAt(spec, "group"), textAt(spec, "version")];
  const { name } = object.metadata;
  if (previous && name !== `${version}.${group}`)
    report.invalid("metadata.name", name, `must be \`spec.version+"."+spec.group\`: "${version}.${group}"`);
  if (!group && version !== "v1")
    report.required("spec.group", "only v1 may have an empty group and it better be legacy kube");
  else if (group) report.syntax("spec.group", group, subdomainName(group));
  report.syntax("spec.version", version, label1035Name(version));
  for (const [field, most] of [
    ["groupPriorityMinimum", 20_000],
    ["versionPriority", 1_000],
  ] as const) {
    const value = numberAt(spec, field) ?? 0;
    if (value <= 0 || value > most)
      report.invalid(`spec.${field}`, value, `must be positive and less than ${most}`);
  }
  const service = objectAt(spec, "service");
  const bytes = Buffer.from(textAt(spec, "caBundle"), "base64").length;
  const isTrusting = spec?.insecureSkipTLSVerify === true;
  if (!service) {
    if (bytes > 0)
      report.invalid("spec.caBundle", `${bytes} bytes`, "local APIServices may not have a caBundle");
    if (isTrusting)
      report.invalid(
        "spec.insecureSkipTLSVerify",
        true,
        "local APIServices may not have insecureSkipTLSVerify",
      );
    return;
  }
  for (const name of ["namespace", "name"])
    if (!textAt(service, name)) report.required(`spec.service.${name}`);
  const port = numberAt(service, "port") ?? 0;
  if (portNumber(port).length > 0)
    report.invalid("spec.service.port", port, `port is not valid: ${portNumber(port).join(", ")}`);
  if (isTrusting && bytes > 0)
    report.invalid("spec.insecureSkipTLSVerify", true, "may not be true if caBundle is present");
}

function validateApiServiceStatus(report: Report, object: KubeObject): void {
  for (const [index, condition] of listAt(object, "status", "conditions").entries()) {
    const status = textAt(condition, "status");
    const known = ["True", "False", "Unknown"];
    if (!known.includes(status)) report.unsupported(`status.conditions[${index}].status`, status, known);
  }
}
