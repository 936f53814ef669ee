import { isObject, type JsonObject, listAt, objectAt, sameJson, textAt, valueAt } from "../../schema/json.ts";
import { label1035Name, subdomainName } from "../../schema/validation/names.ts";
import { Report } from "../../schema/validation/report.ts";
import type { FieldError, KubeObject } from "../../types.ts";
import { crdRuleProblems } from "./crd-rule-problems.ts";
import { schemaProblems } from "./crd-schema-problems.ts";
import { selectableProblems } from "./crd-selectable-problems.ts";

/** apiextensions-apiserver/pkg/apis/apiextensions/validation ValidateCustomResourceDefinition */
export function crdProblems(crd: KubeObject, previous?: KubeObject): FieldError[] {
  const report = new Report();
  const spec = objectAt(crd, "spec");
  const group = textAt(spec, "group");
  report.named("spec.group", group, subdomainName);
  const scope = textAt(spec, "scope");
  if (!scope) report.required("spec.scope");
  else if (scope !== "Cluster" && scope !== "Namespaced")
    report.unsupported("spec.scope", scope, ["Cluster", "Namespaced"]);
  checkVersions(report, spec);
  checkNames(report, spec);
  checkConversion(report, spec);
  if (previous) checkUnchanged(report, crd, previous);
  checkStored(report, spec, previous);
  if (spec?.preserveUnknownFields === true)
    report.invalid(
      "spec.preserveUnknownFields",
      true,
      "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    );
  return report.errors;
}

function checkNames(report: Report, spec: unknown): void {
  const names = objectAt(spec, "names");
  for (const name of ["plural", "singular", "kind", "listKind"]) {
    const value = textAt(names, name);
    const isKind = name === "kind" || name === "listKind";
    if (!value) {
      report.required(`spec.names.${name}`);
      continue;
    }
    const problems = label1035Name(isKind ? value.toLowerCase() : value);
    const lead = isKind ? "may have mixed case, but should otherwise match: " : "";
    report.syntax(
      `spec.names.${name}`,
      value,
      problems.map((problem) => `${lead}${problem}`),
    );
  }
  for (const list of ["shortNames", "categories"])
    for (const [index, name] of listAt(names, list).entries())
      report.syntax(`spec.names.${list}[${index}]`, `${name}`, label1035Name(`${name}`));
  const kind = textAt(names, "kind");
  if (kind && kind === textAt(names, "listKind"))
    report.invalid("spec.names.listKind", kind, "kind and listKind may not be the same");
}

function checkVersions(report: Report, spec: unknown): void {
  const versions = listAt(spec, "versions").filter(isObject);
  const names = versions.map((version) => textAt(version, "name"));
  for (const [index, name] of names.entries())
    report.syntax(`spec.versions[${index}].name`, name, label1035Name(name));
  if (names[0] !== undefined) report.syntax("spec.version", names[0], label1035Name(names[0]));
  if (new Set(names).size !== names.length)
    report.invalid("spec.versions", versions.map(printedVersion), "must contain unique version names");
  const stored = versions.filter((version) => version.storage === true);
  if (stored.length !== 1)
    report.invalid(
      "spec.versions",
      versions.length === 0 ? (valueAt(spec, "versions") ?? null) : versions.map(printedVersion),
      "must have exactly one version marked as storage version",
    );
  // The server keeps what all versions share in one place, and says so in its paths.
  const shared = (part: string): boolean =>
    versions.every((version) => sameJson(version[part] ?? null, versions[0]?.[part] ?? null));
  for (const [index, version] of versions.entries()) {
    const own = `spec.versions[${index}]`;
    checkWarning(report, version, `${own}.deprecationWarning`);
    checkSchema(report, version, {
      own,
      at: shared("schema") ? "spec.validation" : `${own}.schema`,
      skip: shared("schema") && index > 0,
    });
    if (!(shared("additionalPrinterColumns") && index > 0))
      checkColumns(report, version, shared("additionalPrinterColumns") ? "spec" : own);
    if (!(shared("subresources") && index > 0))
      checkSubresources(report, version, shared("subresources") ? "spec" : own);
    if (!(shared("selectableFields") && index > 0))
      selectableProblems(report, version, shared("selectableFields") ? "spec" : own);
  }
}

function checkWarning(report: Report, version: JsonObject, field: string): void {
  const warning = version.deprecationWarning;
  if (typeof warning !== "string") return;
  if (version.deprecated !== true) report.invalid(field, warning, "can only be set for deprecated versions");
  else if (warning === "") report.invalid(field, warning, "must not be an empty string");
}

/** As the server holds it, with what all versions share taken out. */
function printedVersion(version: JsonObject): JsonObject {
  return {
    Name: textAt(version, "name"),
    Served: version.served === true,
    Storage: version.storage === true,
    Deprecated: version.deprecated === true,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  };
}

/** Of a new definition the first version that is marked, of an old one also those that were. */
function checkStored(report: Report, spec: unknown, previous: KubeObject | undefined): void {
  const versions = listAt(spec, "versions").filter(isObject);
  const marked = versions.filter((version) => version.storage === true);
  const known = listAt(previous, "status", "storedVersions").map(String);
  const [first] = marked.map((version) => textAt(version, "name"));
  const all = first === undefined || known.includes(first) ? known : [...known, first];
  const field = "status.storedVersions";
  if (all.length === 0) report.invalid(field, null, "must have at least one stored version");
  for (const version of marked) {
    const name = textAt(version, "name");
    if (!all.includes(name)) report.invalid(field, all, `must have the storage version ${name}`);
  }
  for (const [index, name] of all.entries())
    if (!versions.some((version) => textAt(version, "name") === name))
      report.invalid(
        `${field}[${index}]`,
        name,
        `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
      );
}

function checkSchema(
  report: Report,
  version: unknown,
  { own, at, skip }: { own: string; at: string; skip: boolean },
): void {
  const schema = objectAt(version, "schema", "openAPIV3Schema");
  if (!schema) report.required(`${own}.schema.openAPIV3Schema`);
  else if (!skip) {
    const before = report.errors.length;
    schemaProblems(report, schema, `${at}.openAPIV3Schema`);
    if (report.errors.length === before) crdRuleProblems(report, schema, `${at}.openAPIV3Schema`);
  }
}

const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

const columnTypes = ["boolean", "date", "integer", "number", "string"];

function checkColumns(report: Report, version: unknown, at: string): void {
  for (const [index, column] of listAt(version, "additionalPrinterColumns").entries()) {
    const field = `${at}.additionalPrinterColumns[${index}]`;
    const type = textAt(column, "type");
    if (!textAt(column, "name")) report.required(`${field}.name`);
    if (!type) report.required(`${field}.type`, `must be one of ${columnTypes.join(",")}`);
    else if (!columnTypes.includes(type))
      report.invalid(`${field}.type`, type, `must be one of ${columnTypes.join(",")}`);
    const format = textAt(column, "format");
    if (format && !columnFormats.includes(format))
      report.invalid(`${field}.format`, format, `must be one of ${columnFormats.join(",")}`);
    checkPath(report, textAt(column, "jsonPath"), `${field}.JSONPath`);
  }
}

function checkPath(report: Report, path: string, field: string): void {
  if (!path) report.required(field);
  else if (!path.startsWith(".")) report.invalid(field, path, "must be a simple json path starting with .");
}

function checkSubresources(report: Report, version: unknown, at: string): void {
  const scale = objectAt(version, "subresources", "scale");
  if (!scale) return;
  const field = `${at}.subresources.scale`;
  checkPathBelow(report, textAt(scale, "specReplicasPath"), [`${field}.specReplicasPath`, ".spec"]);
  checkPathBelow(report, textAt(scale, "statusReplicasPath"), [`${field}.statusReplicasPath`, ".status"]);
  const selector = textAt(scale, "labelSelectorPath");
  if (selector !== "") checkPathBelow(report, selector, [`${field}.labelSelectorPath`, ".status", ".spec"]);
}

function checkPathBelow(report: Report, path: string, [field, ...roots]: [string, ...string[]]): void {
  const before = report.errors.length;
  checkPath(report, path, field);
  if (report.errors.length > before || roots.some((root) => path.startsWith(`${root}.`))) return;
  const where = roots.length === 1 ? roots[0] : `either ${roots.join(" or ")}`;
  report.invalid(field, path, `should be a json path under ${where}`);
}

function checkConversion(report: Report, spec: JsonObject | undefined): void {
  const conversion = objectAt(spec, "conversion");
  if (!conversion) return;
  const field = "spec.conversion";
  const strategy = textAt(conversion, "strategy");
  if (strategy !== "None" && spec?.preserveUnknownFields === true)
    report.invalid(`${field}.strategy`, strategy, "must be None if spec.preserveUnknownFields is true");
  const client = objectAt(conversion, "webhook", "clientConfig");
  const versions = listAt(conversion, "webhook", "conversionReviewVersions");
  if (!strategy) report.required(`${field}.strategy`);
  else if (strategy !== "None" && strategy !== "Webhook")
    report.unsupported(`${field}.strategy`, strategy, ["None", "Webhook"]);
  const stray = "should not be set when strategy is not set to Webhook";
  if (strategy === "Webhook") {
    if (!client) report.required(`${field}.webhookClientConfig`, "required when strategy is set to Webhook");
    if (versions.length === 0) report.required(`${field}.conversionReviewVersions`);
    return;
  }
  if (client) report.forbidden(`${field}.webhookClientConfig`, stray);
  if (versions.length > 0) report.forbidden(`${field}.conversionReviewVersions`, stray);
}

/** What an update may not change. */
function checkUnchanged(report: Report, object: KubeObject, previous: KubeObject): void {
  const established = listAt(previous, "status", "conditions").some(
    (condition) => textAt(condition, "type") === "Established" && textAt(condition, "status") === "True",
  );
  const fixed = established ? ["scope", "names.kind", "group", "names.plural"] : ["group", "names.plural"];
  for (const name of fixed) {
    const path = ["spec", ...name.split(".")];
    const now = valueAt(object, ...path);
    if (!sameJson(now, valueAt(previous, ...path)))
      report.invalid(path.join("."), now ?? "", "field is immutable");
  }
}
