import type { ResolvedSchema } from "../schema/catalog.ts";
import { structuralSchema } from "../schema/catalog.ts";
import { isRecord, type KubeObject, type ResourceInfo, type SubresourceInfo } from "../types.ts";
import { customRules } from "./kind-rules.ts";
import { apiVersionOf, type CustomConversion, type Served } from "./served.ts";

const allVerbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const partVerbs = ["get", "patch", "update"];

export interface CrdNames {
  group: string;
  plural: string;
  singular: string;
  kind: string;
  listKind: string;
  shortNames: readonly string[];
  categories: readonly string[];
}

/** The names a CRD asks for, with apiextensions' defaults for the optional ones. */
export function readCrdNames(crd: KubeObject): CrdNames {
  const spec = isRecord(crd.spec) ? crd.spec : {};
  const names = isRecord(spec.names) ? spec.names : {};
  const kind = text(names.kind);
  return {
    group: text(spec.group),
    plural: text(names.plural),
    singular: text(names.singular) || kind.toLowerCase(),
    kind,
    listKind: text(names.listKind) || `${kind}List`,
    shortNames: texts(names.shortNames),
    categories: texts(names.categories),
  };
}

export function storageVersionOf(crd: KubeObject): string {
  return text(versionsOf(crd).find((version) => version.storage === true)?.name);
}

/** Makes what converts the objects of a CRD by its webhook. */
export type MakeConversion = (crd: KubeObject) => Omit<CustomConversion, "schema">;

/** What a CRD serves: nothing until its names have been accepted once. */
export function readServed(crd: KubeObject, makeConversion?: MakeConversion): Served[] {
  if (!hasCondition(crd, "Established")) return [];
  const names = readCrdNames(crd);
  const storageVersion = storageVersionOf(crd);
  const several = versionsOf(crd).length > 1 || storedVersions(crd).length > 1;
  const schemas = new Map<string, ResolvedSchema>();
  const schemaOf = (version: string): ResolvedSchema => {
    const schema = schemas.get(version) ?? structuralSchema(crd, version);
    schemas.set(version, schema);
    return schema;
  };
  const made = several && convertsByWebhook(crd) ? makeConversion?.(crd) : undefined;
  const conversion = made && withSchemas(made, schemaOf);
  return versionsOf(crd)
    .filter((version) => version.served === true)
    .map((version) => {
      const info = resourceInfo(crd, { names, version, storageVersion });
      return {
        info,
        apiVersion: apiVersionOf(info.group, info.version),
        type: `${info.group}/${info.resource}`,
        converts: several,
        rules: customRules,
        defaults: {},
        crd,
        conversion,
        schema: () => schemaOf(info.version),
      };
    });
}

function convertsByWebhook({ spec }: KubeObject): boolean {
  return isRecord(spec) && isRecord(spec.conversion) && spec.conversion.strategy === "Webhook";
}

function withSchemas(
  made: ReturnType<MakeConversion>,
  schemaOf: (version: string) => ResolvedSchema,
): CustomConversion {
  return {
    get isSimulated() {
      return made.isSimulated;
    },
    convert: (object, apiVersion) => made.convert(object, apiVersion),
    prepare: (objects, apiVersion) => made.prepare(objects, apiVersion),
    schema: (apiVersion) => schemaOf(apiVersion.split("/").at(-1) ?? ""),
  };
}

interface VersionInput {
  names: CrdNames;
  version: Record<string, unknown>;
  storageVersion: string;
}

function resourceInfo(crd: KubeObject, { names, version, storageVersion }: VersionInput): ResourceInfo {
  const parts = isRecord(version.subresources) ? version.subresources : {};
  const { group, kind } = names;
  const subresources: SubresourceInfo[] = [];
  if (isRecord(parts.status))
    subresources.push({ name: "status", kind, group, version: text(version.name), verbs: partVerbs });
  if (isRecord(parts.scale))
    subresources.push({
      name: "scale",
      kind: "Scale",
      group: "autoscaling",
      version: "v1",
      verbs: partVerbs,
    });
  return {
    group,
    version: text(version.name),
    kind,
    resource: names.plural,
    singular: names.singular,
    namespaced: isRecord(crd.spec) && crd.spec.scope === "Namespaced",
    shortNames: names.shortNames,
    categories: names.categories,
    verbs: allVerbs,
    subresources,
    storageVersion,
  };
}

export function versionsOf(crd: KubeObject): Record<string, unknown>[] {
  const spec = isRecord(crd.spec) ? crd.spec : {};
  return Array.isArray(spec.versions) ? spec.versions.filter(isRecord) : [];
}

export function hasCondition(object: KubeObject, type: string): boolean {
  const conditions = isRecord(object.status) ? object.status.conditions : undefined;
  if (!Array.isArray(conditions)) return false;
  return conditions.some(
    (condition) => isRecord(condition) && condition.type === type && condition.status === "True",
  );
}

export function storedVersions(crd: KubeObject): string[] {
  return texts(isRecord(crd.status) ? crd.status.storedVersions : undefined);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
