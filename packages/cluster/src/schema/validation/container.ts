import { parseQuantity } from "@capstan/formats";
import { goValue } from "../go-value.ts";
import { isObject, type JsonObject, listAt, numberAt, objectAt, textAt, valueAt } from "../json.ts";
import {
  configKey,
  environmentName,
  labelName,
  notNegative,
  portName,
  portNumber,
  qualifiedName,
} from "./names.ts";
import { validateIds, validateProfiles } from "./pod-security.ts";
import { validateLifecycle, validateProbe } from "./probe.ts";
import type { Report } from "./report.ts";

/** What the containers of one Pod share. */
export interface PodContext {
  volumes: ReadonlySet<string>;
  claimTemplates: ReadonlySet<string>;
  hostNetwork: boolean;
  names: Set<string>;
}

/** One of spec.containers or spec.initContainers. */
export function validateContainer(
  report: Report,
  container: unknown,
  place: { field: string; context: PodContext },
): void {
  const { field, context } = place;
  validateContainerBody(report, container, place);
  const name = textAt(container, "name");
  const isInit = field.includes("initContainers[");
  if (isInit) validateRestart(report, container, field);
  if (name && context.names.has(name)) report.duplicate(`${field}.name`, name);
  context.names.add(name);
  if (isInit && textAt(container, "restartPolicy") !== "Always") {
    for (const part of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"])
      if (isObject(valueAt(container, part)))
        report.forbidden(
          `${field}.${part}`,
          "may not be set for init containers without restartPolicy=Always",
        );
    return;
  }
  validateLifecycle(report, objectAt(container, "lifecycle"), `${field}.lifecycle`);
  for (const probe of ["livenessProbe", "readinessProbe", "startupProbe"])
    validateProbe(report, valueAt(container, probe), `${field}.${probe}`);
  if (!isInit) validateRestart(report, container, field);
}

const terminationPolicies = ["File", "FallbackToLogsOnError"];
const pullPolicies = ["Always", "IfNotPresent", "Never"];

/** pkg/apis/core/validation validateContainerCommon */
export function validateContainerBody(
  report: Report,
  container: unknown,
  { field, context }: { field: string; context: PodContext },
): void {
  const name = textAt(container, "name");
  report.named(`${field}.name`, name, labelName);
  if (!textAt(container, "image")) report.required(`${field}.image`);
  const termination = textAt(container, "terminationMessagePolicy");
  if (termination) report.oneOf(`${field}.terminationMessagePolicy`, termination, terminationPolicies);
  validatePorts(report, container, { field, context });
  for (const [index, variable] of listAt(container, "env").entries())
    validateVariable(report, variable, `${field}.env[${index}]`);
  validateEnvironmentSources(report, container, field);
  validateMounts(report, container, { field, context });
  validateDevices(report, container, { field, context });
  const pull = textAt(container, "imagePullPolicy");
  if (pull) report.oneOf(`${field}.imagePullPolicy`, pull, pullPolicies);
  validateResources(report, objectAt(container, "resources"), `${field}.resources`);
  validateSecurity(report, objectAt(container, "securityContext"), `${field}.securityContext`);
}

const restartActions = ["Restart", "RestartAllContainers"];
const restartPolicies = ["Always", "Never", "OnFailure"];

/** validateContainerRestartPolicy */
function validateRestart(report: Report, container: unknown, field: string): void {
  const policy = valueAt(container, "restartPolicy");
  const rules = listAt(container, "restartPolicyRules");
  const at = `${field}.restartPolicy`;
  report.settle(`${field}.restartPolicyRules`);
  if (policy === undefined) {
    if (rules.length > 0) report.required(at, "must specify restartPolicy when restart rules are used");
    if (rules.length === 0 || field.includes("initContainers[")) return;
  } else if (!restartPolicies.includes(`${policy}`)) report.unsupported(at, policy, restartPolicies);
  for (const [index, rule] of rules.entries()) {
    const ruleAt = `${field}.restartPolicyRules[${index}]`;
    const [action, operator] = [textAt(rule, "action"), textAt(rule, "exitCodes", "operator")];
    if (!restartActions.includes(action)) report.unsupported(`${ruleAt}.action`, action, restartActions);
    if (!objectAt(rule, "exitCodes")) report.required(`${ruleAt}.exitCodes`, "must be specified");
    else if (operator !== "In" && operator !== "NotIn")
      report.unsupported(`${ruleAt}.exitCodes.operator`, operator, ["In", "NotIn"]);
  }
}

function validatePorts(
  report: Report,
  container: unknown,
  { field, context }: { field: string; context: PodContext },
): void {
  const names = new Set<string>();
  for (const [index, port] of listAt(container, "ports").entries()) {
    const at = `${field}.ports[${index}]`;
    const name = textAt(port, "name");
    if (name) {
      const problems = portName(name);
      report.syntax(`${at}.name`, name, problems.slice(0, 1));
      if (problems.length === 0 && names.has(name)) report.duplicate(`${at}.name`, name);
      names.add(name);
    }
    const number = numberAt(port, "containerPort") ?? 0;
    if (number === 0) report.required(`${at}.containerPort`);
    else for (const problem of portNumber(number)) report.invalid(`${at}.containerPort`, number, problem);
    const host = numberAt(port, "hostPort") ?? 0;
    if (host !== 0) for (const problem of portNumber(host)) report.invalid(`${at}.hostPort`, host, problem);
    if (context.hostNetwork && host !== 0 && host !== number)
      report.invalid(`${at}.hostPort`, host, "must match `containerPort` when `hostNetwork` is true");
  }
}

const sources = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"];
const plainFields = new Set([
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
]);

function validateVariable(report: Report, variable: unknown, field: string): void {
  const name = textAt(variable, "name");
  report.named(`${field}.name`, name, environmentName);
  const from = objectAt(variable, "valueFrom");
  if (!from) return;
  const given = sources.filter((source) => isObject(from[source]));
  for (const source of ["configMapKeyRef", "secretKeyRef"])
    if (isObject(from[source])) validateKey(report, from[source], `${field}.valueFrom.${source}`);
  const path = textAt(from, "fieldRef", "fieldPath");
  if (path && !plainFields.has(path) && !/^metadata\.(labels|annotations)\['.*'\]$/.test(path))
    report.invalid(
      `${field}.valueFrom.fieldRef.fieldPath`,
      path,
      `error converting fieldPath: field label not supported: ${path}`,
    );
  if (given.length === 0)
    report.invalid(
      `${field}.valueFrom`,
      "",
      "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
    );
  else if (textAt(variable, "value") !== "")
    report.invalid(`${field}.valueFrom`, "", "may not be specified when `value` is not empty");
  else if (given.length > 1)
    report.invalid(`${field}.valueFrom`, "", "may not have more than one field specified at a time");
}

function validateKey(report: Report, source: unknown, field: string): void {
  const key = textAt(source, "key");
  report.named(`${field}.key`, key, configKey);
}

function validateEnvironmentSources(report: Report, container: unknown, field: string): void {
  for (const [index, source] of listAt(container, "envFrom").entries()) {
    const at = `${field}.envFrom[${index}]`;
    const given = ["configMapRef", "secretRef"].filter((name) => objectAt(source, name));
    const whole = `${field}.envFrom`;
    if (given.length === 0) report.invalid(whole, "", "must specify one of: `configMapRef` or `secretRef`");
    if (given.length > 1) report.invalid(whole, "", "may not have more than one field specified at a time");
    for (const name of given) if (!textAt(source, name, "name")) report.required(`${at}.${name}.name`);
  }
}

function validateMounts(
  report: Report,
  container: unknown,
  { field, context }: { field: string; context: PodContext },
): void {
  const paths = new Set<string>();
  for (const [index, mount] of listAt(container, "volumeMounts").entries()) {
    const at = `${field}.volumeMounts[${index}]`;
    const name = textAt(mount, "name");
    if (!name) report.required(`${at}.name`);
    else if (!context.volumes.has(name) && !context.claimTemplates.has(name))
      report.notFound(`${at}.name`, name);
    const path = textAt(mount, "mountPath");
    if (!path) report.required(`${at}.mountPath`);
    else if (paths.has(path)) report.invalid(`${at}.mountPath`, path, "must be unique");
    paths.add(path);
  }
}

/** ValidateVolumeDevices: of a Pod's volumes only claims can be blocks. */
function validateDevices(
  report: Report,
  container: unknown,
  { field, context }: { field: string; context: PodContext },
): void {
  const [names, paths] = [new Set<string>(), new Set<string>()];
  for (const [index, device] of listAt(container, "volumeDevices").entries()) {
    const at = `${field}.volumeDevices[${index}]`;
    const [name, path] = [textAt(device, "name"), textAt(device, "devicePath")];
    if (!name) report.required(`${at}.name`);
    if (names.has(name)) report.invalid(`${at}.name`, name, "must be unique");
    if (!context.volumes.has(name) && !context.claimTemplates.has(name)) {
      report.notFound(`${at}.name`, name);
      report.settle(`${at}.name`);
    }
    if (!path) report.required(`${at}.devicePath`);
    if (paths.has(path)) report.invalid(`${at}.devicePath`, path, "must be unique");
    if (path.split("/").includes(".."))
      report.invalid(`${at}.devicePath`, path, "can not contain backsteps ('..')");
    else paths.add(path);
    if (name) names.add(name);
  }
}

const standardResources = new Set(["cpu", "memory", "ephemeral-storage"]);

export function validateResources(report: Report, resources: JsonObject | undefined, field: string): void {
  const limits = objectAt(resources, "limits") ?? {};
  const requests = objectAt(resources, "requests") ?? {};
  for (const [name, amount] of Object.entries(limits))
    validateAmount(report, name, { amount, field: `${field}.limits` });
  for (const [name, amount] of Object.entries(requests)) {
    validateAmount(report, name, { amount, field: `${field}.requests` });
    const most = limits[name] === undefined ? undefined : parseQuantity(`${limits[name]}`);
    const wanted = parseQuantity(`${amount}`);
    if (most && wanted && wanted.nanos > most.nanos)
      report.invalid(
        `${field}.requests`,
        `${amount}`,
        `must be less than or equal to ${name} limit of ${limits[name]}`,
      );
  }
}

function validateAmount(
  report: Report,
  name: string,
  { amount, field }: { amount: unknown; field: string },
): void {
  const at = `${field}[${name}]`;
  report.syntax(at, name, qualifiedName(name));
  const known = standardResources.has(name) || name.startsWith("hugepages-") || name.includes("/");
  if (!known) {
    report.invalid(at, name, "must be a standard resource type or fully qualified");
    report.invalid(at, name, "must be a standard resource for containers");
  }
  const quantity = parseQuantity(`${amount}`);
  if (quantity && quantity.nanos < 0n) report.invalid(at, `${amount}`, notNegative);
}

/** privileged is Forbidden where the server does not allow it; this one does, as clusters usually do. */
function validateSecurity(report: Report, security: JsonObject | undefined, field: string): void {
  validateIds(report, security, { field, names: ["runAsUser", "runAsGroup"] });
  const mount = security?.procMount;
  if (mount !== undefined && mount !== "Default" && mount !== "Unmasked")
    report.unsupported(`${field}.procMount`, mount, ["Default", "Unmasked"]);
  if (security?.allowPrivilegeEscalation === false && security.privileged === true)
    report.invalid(
      field,
      goValue("core.SecurityContext", security),
      "cannot set `allowPrivilegeEscalation` to false and `privileged` to true",
    );
  validateProfiles(report, security, field);
}
