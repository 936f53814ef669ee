import { isRecord } from "@capstan/formats";
import { type MappingNode, toJson, toValue } from "@capstan/krm-yaml";
import { groupOf, versionOf } from "@capstan/model";
import { checkSchema, type SchemaDefinitions, type SchemaProblem } from "../check-schema.ts";
import { failed, type KrmFunction, type ResultItem } from "../function.ts";
import { copyItem, fileOf, type Item, identityOf } from "../item.ts";
import { clearNotes } from "../write-resources.ts";
import { dataOf } from "./function-config.ts";

/** Reads the schemas of Kubernetes' own kinds when they are first needed. */
export type ReadDefinitions = () => SchemaDefinitions | Promise<SchemaDefinitions>;

/** Holds resources to the schemas of Kubernetes and of the CustomResourceDefinitions beside them. */
export function kubeconform(read: ReadDefinitions): KrmFunction {
  return validator(read, { describe: describeConform, end: failed, requiresSchemas: false });
}

/** The former validator: other words, and a kind without schema is an error unless it is to be ignored. */
export function kubeval(read: ReadDefinitions): KrmFunction {
  return validator(read, { describe: describeVal, end: { exitCode: 1, stderr: "" }, requiresSchemas: true });
}

interface Dialect {
  describe(problem: SchemaProblem): { message: string; path: string }[];
  end: { exitCode: number; stderr: string };
  requiresSchemas: boolean;
}

function validator(read: ReadDefinitions, { describe, end, requiresSchemas }: Dialect): KrmFunction {
  return async (list) => {
    const wanted = readOptions(list.functionConfig);
    const index = new SchemaIndex(await read(), list.items);
    const results: ResultItem[] = [];
    for (const item of list.items) {
      const { kind, apiVersion } = identityOf(item);
      if (wanted.skipped.includes(kind) || groupOf(apiVersion) === "kpt.dev") continue;
      const schema = index.find(item);
      if (schema === undefined) {
        const message = `no schema of ${kind} in ${apiVersion} is known here; name it in skip_kinds or set ignore_missing_schemas`;
        if (requiresSchemas && !wanted.ignoresMissing) results.push(resultOf(item, { message, path: "" }));
        continue;
      }
      for (const problem of checkSchema(contentOf(item), schema, {
        definitions: index.definitions,
        strict: wanted.strict,
      }))
        for (const told of describe(problem)) results.push(resultOf(item, told));
    }
    list.results = results;
    return results.length > 0 ? end : undefined;
  };
}

function readOptions(config: MappingNode | undefined) {
  const data = dataOf(config);
  const place = data.get("schema_location") ?? data.get("additional_schema_locations") ?? "";
  if (place !== "")
    throw new Error(
      `schemas from "${place}" are not fetched here; put the CustomResourceDefinitions into the package and leave schema_location out`,
    );
  return {
    strict: data.get("strict") === "true",
    ignoresMissing: data.get("ignore_missing_schemas") === "true",
    skipped: (data.get("skip_kinds") ?? "").split(",").map((kind) => kind.trim()),
  };
}

function contentOf(item: Item): unknown {
  const copy = copyItem(item);
  clearNotes(copy);
  return toJson(toValue(copy.root));
}

function resultOf(item: Item, { message, path }: { message: string; path: string }): ResultItem {
  const { apiVersion, kind, name, namespace } = identityOf(item);
  const { path: file, index } = fileOf(item);
  return {
    message,
    severity: "error",
    resourceRef: { apiVersion, kind, name, ...(namespace === "" ? {} : { namespace }) },
    ...(path === "" ? {} : { field: { path } }),
    file: { path: file, ...(Number(index) > 0 ? { index: Number(index) } : {}) },
  };
}

/** Schemas by kind: Kubernetes' own, then those of definitions among the resources. */
class SchemaIndex {
  readonly definitions: SchemaDefinitions;
  readonly #byKind = new Map<string, unknown>();

  constructor(definitions: SchemaDefinitions, items: readonly Item[]) {
    this.definitions = definitions;
    for (const [name, schema] of Object.entries(definitions)) {
      const kinds = isRecord(schema) ? schema["x-kubernetes-group-version-kind"] : undefined;
      if (!Array.isArray(kinds)) continue;
      for (const one of kinds)
        if (isRecord(one))
          this.#byKind.set([one.group ?? "", one.version, one.kind].join("/"), { $ref: `#/${name}` });
    }
    for (const item of items)
      if (identityOf(item).kind === "CustomResourceDefinition") this.#addCustom(toJson(toValue(item.root)));
  }

  find(item: Item): unknown {
    const { apiVersion, kind } = identityOf(item);
    return this.#byKind.get([groupOf(apiVersion), versionOf(apiVersion), kind].join("/"));
  }

  #addCustom(crd: unknown): void {
    const spec = isRecord(crd) && isRecord(crd.spec) ? crd.spec : {};
    const kind = isRecord(spec.names) ? spec.names.kind : undefined;
    for (const version of Array.isArray(spec.versions) ? spec.versions : []) {
      const schema =
        isRecord(version) && isRecord(version.schema) ? version.schema.openAPIV3Schema : undefined;
      if (!isRecord(schema)) continue;
      const own = { apiVersion: { type: "string" }, kind: { type: "string" }, metadata: { type: "object" } };
      const properties = isRecord(schema.properties) ? schema.properties : {};
      this.#byKind.set([spec.group, version.name, kind].join("/"), {
        ...schema,
        properties: { ...properties, ...own },
      });
    }
  }
}

const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(", ");

/** In the words of kubeconform's validator. */
function describeConform({ path, problem }: SchemaProblem): { message: string; path: string }[] {
  const at = path.join(".");
  switch (problem.kind) {
    case "type":
      return [{ message: `got ${problem.got}, want ${problem.want.join(" or ")}`, path: at }];
    case "required":
      return [
        {
          message: `missing ${problem.missing.length > 1 ? "properties" : "property"} ${quoted(problem.missing)}`,
          path: at,
        },
      ];
    case "additional":
      return [{ message: `additional properties ${quoted(problem.names)} not allowed`, path: at }];
    default:
      return [{ message: `value must be one of ${quoted(problem.values)}`, path: at }];
  }
}

/** In those of kubeval's, which names a missing or further field by itself. */
function describeVal({ path, problem }: SchemaProblem): { message: string; path: string }[] {
  const at = path.join(".");
  switch (problem.kind) {
    case "type": {
      const want = [...problem.want].sort();
      const shown = want.length > 1 ? `[${want.join(",")}]` : want.join("");
      return [{ message: `Invalid type. Expected: ${shown}, given: ${problem.got}`, path: at }];
    }
    case "required":
      return problem.missing.map((name) => ({ message: `${name} is required`, path: name }));
    case "additional":
      return problem.names.map((name) => ({
        message: `Additional property ${name} is not allowed`,
        path: name,
      }));
    default:
      return [
        {
          message: `${at} must be one of the following: ${problem.values.map((one) => `"${one}"`).join(", ")}`,
          path: at,
        },
      ];
  }
}
