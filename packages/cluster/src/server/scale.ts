import { badRequest, invalid, methodNotAllowed, notFound } from "../objects/failures.ts";
import { updateObject } from "../objects/update-object.ts";
import type { World } from "../objects/world.ts";
import { fromStored } from "../registry/convert.ts";
import { versionsOf } from "../registry/crd-resources.ts";
import type { Served } from "../registry/served.ts";
import { type ApiResponse, isRecord, type KubeObject } from "../types.ts";
import type { ResourceCall } from "./call.ts";
import { mediaType, readDocument } from "./read-object.ts";
import { answerObject } from "./represent.ts";
import { patchDocument } from "./write-objects.ts";
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
  const { served, namespace, name, request } = call;
  const live = world.store.get(served.type, namespace, name);
  if (live === undefined) throw notFound(served.info, name);
  const object = fromStored(served, live.object);
  const paths = scalePaths(served);
  if (request.method === "GET")
    return world.store.read(() => answerObject(world.clock, call, { object: scaleOf(object, paths) }));
  const replicas = askedReplicas(call, scaleOf(object, paths));
  const kind = request.method === "PUT" ? "UpdateOptions" : "PatchOptions";
  const written = updateObject(
    world,
    { served, live, object: withValue(object, paths.spec, replicas) },
    readWriteOptions(call, kind),
  );
  const failure = await world.store.flushed();
  if (failure !== undefined) throw failure;
  return answerObject(world.clock, call, { object: scaleOf(fromStored(served, written.object), paths) });
}

function askedReplicas(call: ResourceCall, scale: KubeObject): number {
  const { request } = call;
  if (request.method !== "PUT" && request.method !== "PATCH") throw methodNotAllowed();
  const document = request.method === "PUT" ? readDocument(request, "Scale") : patchScale(call, scale);
  requireScale(call, document);
  const { metadata, spec } = isRecord(document) ? document : {};
  const sentName = isRecord(metadata) ? metadata.name : undefined;
  if (sentName !== call.name)
    throw badRequest(
      `the name of the object (${sentName ?? ""}) does not match the name on the URL (${call.name})`,
    );
  const replicas = (isRecord(spec) ? spec.replicas : undefined) ?? 0;
  if (typeof replicas !== "number" || !Number.isInteger(replicas))
    throw badRequest(
      `Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal ${typeof replicas} into Go struct field ScaleSpec.spec.replicas of type int32`,
    );
  if (replicas < 0)
    throw invalid({ group: "autoscaling", kind: "Scale" }, call.name, [
      {
        reason: "FieldValueInvalid",
        field: "spec.replicas",
        message: `Invalid value: ${replicas}: must be greater than or equal to 0`,
      },
    ]);
  return replicas;
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

/** metav1.FormatLabelSelector; a ReplicationController's selector is the bare map. */
function selectorText(selector: unknown): string {
  if (typeof selector === "string") return selector;
  if (!isRecord(selector)) return "";
  const { matchLabels, matchExpressions } = selector;
  const isBare = matchLabels === undefined && matchExpressions === undefined;
  const labels = isBare ? selector : isRecord(matchLabels) ? matchLabels : {};
  const equal = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  const expressions = Array.isArray(matchExpressions)
    ? matchExpressions.filter(isRecord).map(expressionText)
    : [];
  return [...equal, ...expressions].sort().join(",");
}

function expressionText({ key, operator, values }: Record<string, unknown>): string {
  const list = Array.isArray(values) ? values.join(",") : "";
  switch (operator) {
    case "In":
      return `${key} in (${list})`;
    case "NotIn":
      return `${key} notin (${list})`;
    case "DoesNotExist":
      return `!${key}`;
    default:
      return String(key);
  }
}
