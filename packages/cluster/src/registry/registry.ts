import { loadBuiltins } from "../schema/catalog.ts";
import type { KubeObject, ResourceInfo } from "../types.ts";
import { type MakeConversion, readServed } from "./crd-resources.ts";
import type { StoredKind } from "./kind-rules.ts";
import { apiVersionOf, type Served } from "./served.ts";

export const crdType = "apiextensions.k8s.io/customresourcedefinitions";

export interface ServedVersion {
  version: string;
  resources: readonly Served[];
}

export interface ServedGroup {
  group: string;
  /** Preferred first. */
  versions: readonly ServedVersion[];
}

/** Every resource that is served: the built-in ones and those of CRDs. */
export class Registry {
  readonly #builtins: readonly Served[];
  readonly #makeConversion: MakeConversion | undefined;
  readonly #custom = new Map<string, { crd: KubeObject; served: readonly Served[] }>();
  #index = new Map<string, Served>();
  #byType = new Map<string, Served>();
  #byKind = new Map<string, Served>();
  #groups: readonly ServedGroup[] = [];
  /** Moves with every change of what is served. */
  #generation = 0;

  constructor(kinds: readonly StoredKind[], crds: readonly KubeObject[], makeConversion?: MakeConversion) {
    this.#builtins = serveBuiltins(kinds);
    this.#makeConversion = makeConversion;
    for (const crd of crds) this.#add(crd);
    this.#rebuild();
  }

  get generation(): number {
    return this.#generation;
  }

  put(crd: KubeObject): void {
    this.#add(crd);
    this.#rebuild();
  }

  #add(crd: KubeObject): void {
    this.#custom.set(crd.metadata.name ?? "", { crd, served: readServed(crd, this.#makeConversion) });
  }

  remove(name: string): void {
    if (this.#custom.delete(name)) this.#rebuild();
  }

  find(group: string, version: string, resource: string): Served | undefined {
    return this.#index.get(`${group}/${version}/${resource}`);
  }

  /** By the key of the store, in the version that is stored. */
  byType(type: string): Served | undefined {
    return this.#byType.get(type);
  }

  byKind(apiVersion: string, kind: string): Served | undefined {
    return this.#byKind.get(`${apiVersion}/${kind}`);
  }

  all(): Served[] {
    return [...this.#index.values()];
  }

  groups(): readonly ServedGroup[] {
    return this.#groups;
  }

  group(name: string): ServedGroup | undefined {
    return this.#groups.find(({ group }) => group === name);
  }

  crds(): KubeObject[] {
    return [...this.#custom.values()].map(({ crd }) => crd);
  }

  #rebuild(): void {
    const custom = [...this.#custom.values()].flatMap(({ served }) => served);
    const all = [...this.#builtins, ...custom];
    this.#index = new Map(all.map((served) => [keyOf(served.info), served]));
    this.#byKind = new Map(all.map((served) => [`${served.apiVersion}/${served.info.kind}`, served]));
    this.#byType = new Map([...all, ...all.filter(isStoredForm)].map((served) => [served.type, served]));
    this.#groups = gatherGroups(all);
    this.#generation += 1;
  }
}

/** The other versions of a type come first in the index, because a CRD's storage version need not be served. */
function isStoredForm({ info, type }: Served): boolean {
  return type === `${info.group}/${info.resource}` && info.version === info.storageVersion;
}

function keyOf({ group, version, resource }: ResourceInfo): string {
  return `${group}/${version}/${resource}`;
}

/** Each resource that is described with the record of its kind; every one has one. */
function serveBuiltins(kinds: readonly StoredKind[]): Served[] {
  const byResource = new Map(kinds.map((kind) => [`${kind.group}/${kind.resource}`, kind]));
  const defaults = Object.assign({}, ...kinds.map((kind) => kind.defaults));
  const computed = kinds.flatMap((kind) => kind.computed?.described ?? []);
  return [...loadBuiltins().resources, ...computed].map((described) => {
    const rules = byResource.get(`${described.group}/${described.resource}`);
    if (rules === undefined)
      throw new Error(`kinds/ has no record for ${described.kind} of "${described.group}"`);
    return serveBuiltin(described, rules, defaults);
  });
}

function serveBuiltin(described: ResourceInfo, rules: StoredKind, defaults: Served["defaults"]): Served {
  const { storage } = rules;
  const info = storage === undefined ? described : { ...described, storageVersion: storage.version };
  return {
    info,
    apiVersion: apiVersionOf(info.group, info.version),
    type: storage?.type ?? `${info.group}/${info.resource}`,
    converts: storage !== undefined,
    rules,
    defaults,
    crd: undefined,
    schema: () => {
      const schema = loadBuiltins().schemaFor(info);
      if (schema === undefined)
        throw new Error(`no schema for ${info.kind} in ${info.group}/${info.version}`);
      return schema;
    },
  };
}

function gatherGroups(all: readonly Served[]): ServedGroup[] {
  const groups = new Map<string, Map<string, Served[]>>();
  for (const served of all) {
    const versions = groups.get(served.info.group) ?? new Map<string, Served[]>();
    groups.set(served.info.group, versions);
    const resources = versions.get(served.info.version) ?? [];
    versions.set(served.info.version, resources);
    resources.push(served);
  }
  return [...groups].map(([group, versions]) => ({
    group,
    versions: [...versions]
      .map(([version, resources]) => ({ version, resources }))
      .sort((left, right) => compareVersions(left.version, right.version)),
  }));
}

/** Kubernetes' order: v2, v1, v1beta2, v1alpha1, then others by name (apimachinery version.CompareKubeAwareVersionStrings). */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [rank(left), rank(right)];
  for (const [index, part] of a.entries()) if (part !== b[index]) return (b[index] ?? 0) - part;
  return left < right ? -1 : left > right ? 1 : 0;
}

const stability = new Map([
  [undefined, 3],
  ["beta", 2],
  ["alpha", 1],
]);

function rank(version: string): [number, number, number] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return [0, 0, 0];
  return [stability.get(match[2]) ?? 0, Number(match[1]), Number(match[3] ?? "0")];
}
