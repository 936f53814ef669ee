import type { ResolvedSchema } from "../schema/catalog.ts";
import type { ConditionalDefault } from "../schema/defaults.ts";
import type { KubeObject, ResourceInfo } from "../types.ts";
import type { KindRules } from "./kind-rules.ts";

/** One resource in one version, with all that a request for it needs. */
export interface Served {
  readonly info: ResourceInfo;
  /** "apps/v1", "v1" */
  readonly apiVersion: string;
  /** The key of its objects in the store: shared by all versions, and by the two groups that serve Events. */
  readonly type: string;
  /** Objects may be stored in another version than this one. */
  readonly converts: boolean;
  readonly rules: KindRules;
  /** By type name: defaults that depend on other fields, of whichever kind. */
  readonly defaults: Readonly<Record<string, ConditionalDefault>>;
  readonly crd: KubeObject | undefined;
  /** Of a CRD whose strategy is Webhook. */
  readonly conversion?: CustomConversion | undefined;
  schema(): ResolvedSchema;
}

/** How the objects of a CRD get from one of its versions to another; what is still to be asked throws (Pending). */
export interface CustomConversion {
  /** Nothing real stands behind its address: apiVersion alone changes. */
  readonly isSimulated: boolean;
  convert(object: KubeObject, apiVersion: string): KubeObject;
  /** Asks for many at once. */
  prepare(objects: readonly KubeObject[], apiVersion: string): void;
  schema(apiVersion: string): ResolvedSchema;
}

export function apiVersionOf(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`;
}

/** "deployments.apps", as error messages name a resource. */
export function qualifiedResource(info: ResourceInfo): string {
  return info.group === "" ? info.resource : `${info.resource}.${info.group}`;
}

/** "Deployment.apps", as messages about invalid objects name a kind. */
export function qualifiedKind(info: ResourceInfo): string {
  return info.group === "" ? info.kind : `${info.kind}.${info.group}`;
}

export function hasSubresource(served: Served, name: string): boolean {
  return served.info.subresources.some((subresource) => subresource.name === name);
}
