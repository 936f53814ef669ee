/**
 * Reads Kubernetes' Go sources, as the test environment pins them, and writes packages/cluster/src/schema/data/go-types.json:
 * what kube-apiserver's messages say of Go types and OpenAPI does not tell.
 *
 *   node tools/generate-kube-go-types.ts
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type GoField, type GoTypes, readGoTypes } from "./kube-schemas/go-structs.ts";

const root = join(import.meta.dirname, "..");
const dataFolder = join(root, "packages/cluster/src/schema/data");
const definitions: Record<string, unknown> = JSON.parse(
  readFileSync(join(dataFolder, "definitions.json"), "utf8"),
);

function moduleFolder(module: string): string {
  const cwd = join(root, "testenv/kube");
  return execFileSync("go", ["list", "-m", "-f", "{{.Dir}}", module], { cwd, encoding: "utf8" }).trim();
}

function read(folder: string): GoTypes {
  return readGoTypes(readFileSync(join(folder, "types.go"), "utf8"));
}

/** "io.k8s.api.core.v1" → the folder of its Go package. */
function folderOf(prefix: string): string {
  const api = /^io\.k8s\.api\.(.*)$/.exec(prefix)?.[1];
  if (api !== undefined) return join(moduleFolder("k8s.io/api"), api.replaceAll(".", "/"));
  const [module = "", ...rest] = prefix.replace(/^io\.k8s\./, "").split(".");
  return join(moduleFolder(`k8s.io/${module}`), ...rest);
}

const prefixes = [...new Set(Object.keys(definitions).map((name) => name.replace(/\.[^.]*$/, "")))].filter(
  (prefix) => !prefix.includes("apimachinery"),
);

const coreTypes = read(folderOf("io.k8s.api.core.v1"));

/** "type.field" → the type that Go names there, where it is no struct; and the struct that embeds the field. */
function readNames(): { types: Map<string, string>; embedded: Map<string, string> } {
  const types = new Map<string, string>();
  const embedded = new Map<string, string>();
  for (const prefix of prefixes) {
    const source = read(folderOf(prefix));
    const version = prefix.split(".").at(-1) ?? "";
    for (const [owner, fields] of source.structs)
      for (const field of fields) {
        const name = namedType(source, field.type, version);
        if (field.json !== "" && name !== undefined) types.set(`${prefix}.${owner}.${field.json}`, name);
        if (field.embedded && field.json === "")
          for (const [json, path] of inlined(source, field)) embedded.set(`${prefix}.${owner}.${json}`, path);
      }
  }
  return { types, embedded };
}

/** The JSON names of an embedded struct's fields, with the names of the structs on the way. */
function inlined(source: GoTypes, { name, type }: GoField): [string, string][] {
  return (source.structs.get(type) ?? []).flatMap((inner): [string, string][] =>
    inner.json !== ""
      ? [[inner.json, name]]
      : inlined(source, inner).map(([json, path]) => [json, `${name}.${path}`]),
  );
}

/** With its package, as encoding/json prints it: "v1.DNSPolicy", "[]v1.PolicyType", "map[string]v1.ExtraValue". */
function namedType({ named }: GoTypes, written: string, version: string): string | undefined {
  const [, before = "", home, name = ""] =
    /^\*?((?:\[\]|map\[\w+\])*)\*?(?:(v1|apiv1|corev1)\.)?(\w+)$/.exec(written) ?? [];
  if (home !== undefined) return coreTypes.named.has(name) ? `${before}v1.${name}` : undefined;
  return named.has(name) ? `${before}${version}.${name}` : undefined;
}

/** The structs whose values messages print, and all that they hold: kube-apiserver prints them without JSON names. */
const printed: Readonly<Record<string, readonly string[]>> = {
  core: [
    "PodSpec",
    "PodTemplateSpec",
    "PersistentVolumeSource",
    "PersistentVolumeSpec",
    "PersistentVolumeClaimSpec",
    "EventSource",
    "ObjectReference",
    "Taint",
    "ServicePort",
    "ScopeSelector",
    "Toleration",
  ],
  apps: ["DeploymentStrategy", "DaemonSetUpdateStrategy", "StatefulSetUpdateStrategy"],
  batch: ["JobSpec"],
  networking: ["IngressSpec", "IPAddressSpec", "NetworkPolicySpec"],
  policy: ["PodDisruptionBudgetSpec"],
  rbac: ["PolicyRule", "RoleRef"],
  storage: ["VolumeAttachmentSpec", "CSINodeDriver"],
  flowcontrol: ["FlowDistinguisherMethod"],
};

function readPrinted(): Map<string, (readonly [string, string])[]> {
  const kubernetes = moduleFolder("k8s.io/kubernetes");
  const sources = new Map<string, GoTypes>();
  const sourceOf = (group: string): GoTypes => {
    const known = sources.get(group) ?? read(join(kubernetes, "pkg/apis", group));
    sources.set(group, known);
    return known;
  };
  const found = new Map<string, (readonly [string, string])[]>();
  const visit = (group: string, name: string): void => {
    if (found.has(`${group}.${name}`)) return;
    const fields: (readonly [string, string])[] = [];
    found.set(`${group}.${name}`, fields);
    for (const field of flattened(sourceOf(group), name)) {
      const { type, struct } = plainType(sourceOf, group, field.type);
      fields.push([field.name, type]);
      if (struct !== undefined) visit(struct[0], struct[1]);
    }
  };
  for (const [group, names] of Object.entries(printed)) for (const name of names) visit(group, name);
  return found;
}

/** encoding/json writes the fields of an embedded struct beside the others. */
function flattened(source: GoTypes, name: string): GoField[] {
  return (source.structs.get(name) ?? []).flatMap((field) => {
    const inner = field.embedded && !field.type.includes(".") ? flattened(source, field.type) : [field];
    return inner;
  });
}

const simple = new Map([
  ["int32", "int"],
  ["int64", "int"],
  ["int", "int"],
  ["uint16", "int"],
  ["bool", "bool"],
  ["string", "string"],
  ["types.UID", "string"],
  ["resource.Quantity", "quantity"],
  ["intstr.IntOrString", "port"],
  ["metav1.Time", "time"],
  ["metav1.MicroTime", "time"],
  ["byte", "byte"],
]);

interface PlainType {
  /** A word of `simple`, "json" for what has JSON names, or a struct's "group.Name"; before it "*", "[]" or "{}". */
  type: string;
  struct?: readonly [string, string];
}

function plainType(sourceOf: (group: string) => GoTypes, group: string, written: string): PlainType {
  const [, before, rest = ""] = /^(\*|\[\]|map\[[\w.]+\])(.*)$/.exec(written) ?? [];
  if (before !== undefined) {
    const inner = plainType(sourceOf, group, rest);
    return { ...inner, type: `${before.startsWith("map") ? "{}" : before}${inner.type}` };
  }
  const known = simple.get(written);
  if (known !== undefined) return { type: known };
  const [owner = "", name = ""] = written.includes(".") ? written.split(".") : [group, written];
  const home = owner === "api" ? "core" : owner;
  if (home === "metav1" || home === "runtime") return { type: "json" };
  const source = sourceOf(home);
  const alias = source.named.get(name);
  if (alias !== undefined) return plainType(sourceOf, home, alias);
  if (!source.structs.has(name)) throw new Error(`${written} of ${group} is no known type`);
  return { type: `${home}.${name}`, struct: [home, name] };
}

const lines = (entries: Iterable<readonly [string, unknown]>): string =>
  [...entries].map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(",\n");

const { types, embedded } = readNames();
const structs = [...readPrinted()].map(([name, fields]) => [name, Object.fromEntries(fields)] as const);
const text = `{"named":{\n${lines(types)}\n},\n"embedded":{\n${lines(embedded)}\n},\n"structs":{\n${lines(structs)}\n}}\n`;
writeFileSync(join(dataFolder, "go-types.json"), text);
