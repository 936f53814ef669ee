import type { Schema } from "../types.ts";

/** Where `$ref` points to: the definitions of one document. */
export interface Definitions {
  readonly byName: Readonly<Record<string, Schema>>;
  /** Nodes of definitions already resolved, so that every reference to a type shares one node. */
  readonly nodes: Map<string, ResolvedSchema>;
}

export type ListType = "atomic" | "set" | "map";

const refPrefix = "#/components/schemas/";

/**
 * A schema node with its reference followed. Children are made on first use and kept, because recursive types
 * (JSONSchemaProps) have no finite expansion and most requests touch few of the types.
 */
export class ResolvedSchema {
  /** The keywords of this place over those of the type that it refers to. */
  readonly schema: Schema;
  /** The definition's name, "io.k8s.api.apps.v1.DeploymentSpec"; empty where the type is written in place. */
  readonly typeName: string;
  /** The last word of it: "DeploymentSpec". */
  readonly goName: string;
  /** Built-in types drop what they do not know while decoding; custom ones are pruned by structural rules. */
  readonly custom: boolean;
  readonly listType: ListType;
  readonly listKeys: readonly string[];
  readonly mapType: "atomic" | "granular" | "";
  /** True from an x-kubernetes-preserve-unknown-fields downwards, as structured-merge-diff reads it. */
  readonly preserved: boolean;
  readonly #definitions: Definitions;
  readonly #fields = new Map<string, ResolvedSchema | undefined>();
  #items: ResolvedSchema | undefined;
  #values: ResolvedSchema | undefined;
  #fieldNames: readonly string[] | undefined;
  #defaultedNames: readonly string[] | undefined;

  constructor(input: { own: Schema; definitions: Definitions; custom: boolean; preserved: boolean }) {
    const { schema, typeName } = followReference(input.own, input.definitions);
    this.schema = schema;
    this.typeName = typeName;
    this.goName = typeName.slice(typeName.lastIndexOf(".") + 1);
    this.custom = input.custom && typeName === "";
    this.#definitions = input.definitions;
    this.preserved = input.preserved || schema["x-kubernetes-preserve-unknown-fields"] === true;
    this.listType = readListType(schema["x-kubernetes-list-type"]);
    this.listKeys = schema["x-kubernetes-list-map-keys"] ?? [];
    const mapType = schema["x-kubernetes-map-type"];
    this.mapType = mapType === "atomic" || mapType === "granular" ? mapType : "";
  }

  /** The names of the declared properties, in the order of the document. */
  get fieldNames(): readonly string[] {
    this.#fieldNames ??= Object.keys(this.schema.properties ?? {});
    return this.#fieldNames;
  }

  /** Of those, the fields of a custom resource that appear where they are left out. */
  get defaultedNames(): readonly string[] {
    this.#defaultedNames ??= this.fieldNames.filter((name) => {
      const child = this.property(name);
      return child?.custom && child.schema.default !== undefined;
    });
    return this.#defaultedNames;
  }

  /** The schema of a declared property. */
  property(name: string): ResolvedSchema | undefined {
    if (this.#fields.has(name)) return this.#fields.get(name);
    const properties = this.schema.properties;
    const own = properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
    const node = own && this.#child(own);
    this.#fields.set(name, node);
    return node;
  }

  /** The schema of a member: a declared property, or the value of a map. */
  field(name: string): ResolvedSchema | undefined {
    return this.property(name) ?? this.values;
  }

  /** The schema of list items. */
  get items(): ResolvedSchema | undefined {
    if (this.schema.items && !this.#items) this.#items = this.#child(this.schema.items);
    return this.#items;
  }

  /** The schema of map values. */
  get values(): ResolvedSchema | undefined {
    const own = this.schema.additionalProperties;
    if (own && typeof own === "object" && !this.#values) this.#values = this.#child(own);
    return this.#values;
  }

  /** A schema below this one that is no property, for example a branch of anyOf. */
  branch(own: Schema): ResolvedSchema {
    return this.#child(own);
  }

  /** Whether status is written through a subresource of its own; a CRD has to say so. */
  get hasStatus(): boolean {
    return this.custom ? this.schema["x-capstan-status"] === true : this.property("status") !== undefined;
  }

  get type(): string | undefined {
    return this.schema.type;
  }

  #child(own: Schema): ResolvedSchema {
    const name = referencedName(own);
    const plain = name !== undefined && !hasOverrides(own);
    const shared = plain && !this.preserved ? this.#definitions.nodes.get(name) : undefined;
    if (shared) return shared;
    const preserved = name === undefined && this.preserved;
    const node = new ResolvedSchema({
      own,
      definitions: this.#definitions,
      custom: this.custom,
      preserved,
    });
    if (plain && !preserved) this.#definitions.nodes.set(name, node);
    return node;
  }
}

function readListType(value: string | undefined): ListType {
  return value === "set" || value === "map" ? value : "atomic";
}

function referencedName(own: Schema): string | undefined {
  const single = own.allOf?.length === 1 ? own.allOf[0]?.$ref : undefined;
  const ref = own.$ref ?? single;
  return ref?.startsWith(refPrefix) ? ref.slice(refPrefix.length) : undefined;
}

/** `default: {}` beside a reference says only that the Go field is no pointer. */
function hasOverrides(own: Schema): boolean {
  for (const key in own) if (key !== "$ref" && key !== "allOf" && key !== "default") return true;
  return false;
}

function followReference(own: Schema, definitions: Definitions): { schema: Schema; typeName: string } {
  const name = referencedName(own);
  if (name === undefined) return { schema: own, typeName: "" };
  const target = definitions.byName[name];
  if (!target) throw new Error(`schema refers to unknown type ${name}`);
  const { $ref: _ref, allOf: _allOf, ...rest } = own;
  return { schema: { ...target, ...rest }, typeName: name };
}
