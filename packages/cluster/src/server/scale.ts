import { printLabelSelector } from "@capstan/formats";
import { badRequest, invalid, notFound } from "../objects/failures.ts";
import { updateObject } from "../objects/update-object.ts";
import type { World } from "../objects/world.ts";
import { timestamp } from "../objects/world.ts";
import { fromStored } from "../registry/convert.ts";
import { versionsOf } from "../registry/crd-resources.ts";
import type { Served } from "../registry/served.ts";
import { serverSideApply, trackUpdate } from "../schema/apply.ts";
import { loadBuiltins, type ResolvedSchema } from "../schema/catalog.ts";
import { parentOwners, type ReplicasPaths, scaleOwners } from "../schema/scale-owners.ts";
import { scaleColumns } from "../schema/tables/scale.ts";
import { ApiError, type ApiResponse, isRecord, type KubeObject, type ManagedFieldsEntry } from "../types.ts";
import type { ResourceCall } from "./call.ts";
import { isTrue } from "./list-options.ts";
import { mediaType, readDocument } from "./read-object.ts";
import { answerObject } from "./represent.ts";
import { patchDocument, readApplied } from "./write-objects.ts";
import { readWriteOptions } from "./write-options.ts";

interface ScalePaths {
  spec: readonly string[];
  status: readonly string[];
  selector: readonly string[];
}

const builtinPaths: ScalePaths = {
  spec: ["spec", "replicas"],
  status: ["status", "replicas"],
  selector: ["spec", "selector"],
};

/** GET, PUT and PATCH of autoscaling/v1 Scale, for workloads and for custom resources that declare it. */
export async function serveScale(world: World, call: ResourceCall): Promise<ApiResponse> {
  const { served, verb, namespace, name } = call;
  const live = world.store.get(served.type, namespace, name);
  if (live === undefined) throw notFound(served.info, name);
  const object = fromStored(served, live.object);
  const paths = scalePaths(served);
  if (verb === "get") {
    requireNumber(served, object, paths);
    return world.store.read(() => answerScale(world, call, scaleOf(object, paths)));
  }
  const options = readWriteOptions(call, verb === "update" ? "UpdateOptions" : "PatchOptions");
  const places = replicasPaths(served);
  const owners = scaleOwners(object.metadata.managedFields, places);
  const scaled = scaledBy(call, withOwners(scaleOf(object, paths), owners), {
    manager: options.manager,
    time: timestamp(world.clock),
  });
  const changed = withValue(object, paths.spec, replicasOf(scaled));
  const managedFields = parentOwners({
    parent: object.metadata.managedFields,
    scale: scaled.metadata.managedFields,
    paths: places,
    apiVersion: served.apiVersion,
  });
  const { resourceVersion = "" } = scaled.metadata;
  const versioned = resourceVersion === "" ? changed.metadata : { ...changed.metadata, resourceVersion };
  const written = updateObject(
    world,
    { served, live, object: { ...changed, metadata: { ...versioned, managedFields } }, tracked: true },
    options,
  );
  const failure = await world.store.flushed();
  if (failure !== undefined) throw failure;
  return answerScale(world, call, scaleOf(fromStored(served, written.object), paths));
}

/** A Scale is what is printed, not the object that it is a part of. */
function answerScale({ clock }: World, call: ResourceCall, object: KubeObject): ApiResponse {
  const info = { ...call.served.info, group: "autoscaling", version: "v1", kind: "Scale" };
  const served = { ...call.served, info, rules: { columns: scaleColumns }, crd: undefined };
  return answerObject(clock, { ...call, served }, { object });
}

const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" };

function scaleSchema(): ResolvedSchema {
  const schema = loadBuiltins().schemaFor(scaleKind);
  if (schema === undefined) throw new Error("the built-in kinds have no Scale");
  return schema;
}

function withOwners(scale: KubeObject, managedFields: ManagedFieldsEntry[]): KubeObject {
  return { ...scale, metadata: { ...scale.metadata, managedFields } };
}

interface Scaler {
  manager: string;
  time: string;
}

/** The Scale as the request leaves it, with the owners of its number. */
function scaledBy(call: ResourceCall, live: KubeObject, scaler: Scaler): KubeObject {
  const { request, verb, query } = call;
  const schema = scaleSchema();
  const shared = { schema, subresource: "scale", ...scaler };
  if (verb === "patch" && mediaType(request) === "application/apply-patch+yaml") {
    const info = { ...call.served.info, ...scaleKind };
    const served = { ...call.served, info, apiVersion: "autoscaling/v1", crd: undefined };
    const applied = readApplied({ request, served });
    const merged = serverSideApply({ ...shared, live, applied, force: isTrue(query.get("force")) });
    return checkedScale(call, merged, merged);
  }
  const { managedFields: _owners, ...metadata } = live.metadata;
  const after = askedScale(call, { ...live, metadata });
  return trackUpdate({ ...shared, before: live, after });
}

function askedScale(call: ResourceCall, scale: KubeObject): KubeObject {
  const { request, verb } = call;
  const document = verb === "update" ? readDocument(request, "Scale") : patchScale(call, scale);
  return checkedScale(call, document, scale);
}

/** The Scale with what the document asks for, where a Scale may have it. */
function checkedScale(call: ResourceCall, document: unknown, scale: KubeObject): KubeObject {
  requireScale(call, document);
  const { metadata, spec } = isRecord(document) ? document : {};
  const { name: sentName, resourceVersion } = isRecord(metadata) ? metadata : {};
  if (sentName !== call.name)
    throw badRequest(
      `the name of the object (${sentName ?? ""}) does not match the name on the URL (${call.name})`,
    );
  const replicas = (isRecord(spec) ? spec.replicas : undefined) ?? 0;
  if (typeof replicas !== "number" || !Number.isInteger(replicas))
    throw badRequest(
      `Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal ${typeof replicas} into Go struct field ScaleSpec.spec.replicas of type int32`,
    );
  if (replicas < 0 && call.served.crd !== undefined)
    throw invalid(call.served.info, call.name, [
      {
        reason: "FieldValueInvalid",
        field: `.${scalePaths(call.served).spec.join(".")}`,
        message: `Invalid value: ${replicas}: should be a non-negative integer`,
      },
    ]);
  if (replicas < 0)
    throw invalid({ group: "autoscaling", kind: "Scale" }, call.name, [
      {
        reason: "FieldValueInvalid",
        field: "spec.replicas",
        message: `Invalid value: ${replicas}: must be greater than or equal to 0`,
      },
    ]);
  const version = typeof resourceVersion === "string" ? resourceVersion : "";
  return {
    ...scale,
    metadata: { ...scale.metadata, resourceVersion: version },
    spec: replicas === 0 ? {} : { replicas },
  };
}

function replicasOf({ spec }: KubeObject): number {
  return isRecord(spec) && typeof spec.replicas === "number" ? spec.replicas : 0;
}

function requireScale({ served }: ResourceCall, document: unknown): void {
  const { apiVersion = "autoscaling/v1", kind = "Scale" } = isRecord(document) ? document : {};
  if (kind === "Scale" && apiVersion === "autoscaling/v1") return;
  const version = String(apiVersion).split("/").at(-1);
  throw badRequest(
    served.crd === undefined
      ? `${kind} in version "${version}" cannot be handled as a Scale: converting (${version}.${kind}) to (autoscaling.Scale): unknown conversion`
      : 'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"',
  );
}

/** A Scale has no list, so that a strategic merge and an apply are plain merges. */
function patchScale(call: ResourceCall, scale: KubeObject): unknown {
  const { request } = call;
  if (mediaType(request) === "application/json-patch+json") return patchDocument(call, scale);
  const headers = { ...request.headers, "content-type": "application/merge-patch+json" };
  return patchDocument({ ...call, request: { ...request, headers } }, scale);
}

/** apiextensions-apiserver's words: a built-in workload always has a number. */
function requireNumber({ crd }: Served, object: KubeObject, { spec }: ScalePaths): void {
  if (crd === undefined || valueAt(object, spec) !== undefined) return;
  const message = `Internal error occurred: the spec replicas field ".${spec.join(".")}" does not exist`;
  const cause = `the spec replicas field ".${spec.join(".")}" does not exist`;
  throw new ApiError(500, "InternalError", message, { causes: [{ message: cause }] });
}

function scaleOf(object: KubeObject, paths: ScalePaths): KubeObject {
  const { name = "", namespace, uid = "", resourceVersion = "", creationTimestamp } = object.metadata;
  const replicas = valueAt(object, paths.spec);
  const selector = selectorText(valueAt(object, paths.selector));
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      name,
      ...(namespace && { namespace }),
      uid,
      resourceVersion,
      ...(creationTimestamp && { creationTimestamp }),
    },
    spec: typeof replicas === "number" && replicas !== 0 ? { replicas } : {},
    status: { replicas: valueAt(object, paths.status) ?? 0, ...(selector && { selector }) },
  };
}

function scalePaths({ crd, info }: Served): ScalePaths {
  if (crd === undefined) return builtinPaths;
  const version = versionsOf(crd).find((candidate) => candidate.name === info.version);
  const scale =
    isRecord(version?.subresources) && isRecord(version.subresources.scale) ? version.subresources.scale : {};
  return {
    spec: splitPath(scale.specReplicasPath),
    status: splitPath(scale.statusReplicasPath),
    selector: splitPath(scale.labelSelectorPath),
  };
}

/** Of every version, since owners are noted in the one that they wrote. */
function replicasPaths(served: Served): ReplicasPaths {
  const { crd, info, apiVersion } = served;
  if (crd === undefined) return new Map([[apiVersion, builtinPaths.spec]]);
  return new Map(
    versionsOf(crd).map(({ name }) => {
      const version = String(name);
      const { spec } = scalePaths({ ...served, info: { ...info, version } });
      return [`${info.group}/${version}`, spec];
    }),
  );
}

function splitPath(path: unknown): string[] {
  return typeof path === "string" ? path.split(".").filter((part) => part !== "") : [];
}

function valueAt(object: unknown, path: readonly string[]): unknown {
  if (path.length === 0) return undefined;
  return path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), object);
}

function withValue(object: KubeObject, path: readonly string[], value: unknown): KubeObject {
  const [first = "", ...rest] = path;
  return { ...object, [first]: setAt(object[first], rest, value) };
}

function setAt(container: unknown, path: readonly string[], value: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  const record = isRecord(container) ? container : {};
  return { ...record, [first]: setAt(record[first], rest, value) };
}

/** A ReplicationController's selector is the bare map. */
function selectorText(selector: unknown): string {
  if (typeof selector === "string") return selector;
  const isWhole = isRecord(selector) && (selector.matchLabels ?? selector.matchExpressions) !== undefined;
  return printLabelSelector(isWhole ? selector : { matchLabels: selector });
}
