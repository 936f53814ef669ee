import { applyMergePatch, parseBoundedJson, stringifyJson } from "@capstan/formats";
import { applyObject } from "../objects/apply-object.ts";
import { createObject } from "../objects/create-object.ts";
import { badRequest, invalid, invalidOption, notFound, requireVersion } from "../objects/failures.ts";
import { updateObject } from "../objects/update-object.ts";
import type { World, Written } from "../objects/world.ts";
import { fromStored, knownToFit } from "../registry/convert.ts";
import type { Served } from "../registry/served.ts";
import { jsonPatch, strategicMergePatch } from "../schema/patch.ts";
import { metadataPasses } from "../schema/validation/metadata.ts";
import { ApiError, type ApiResponse, isRecord, type KubeObject } from "../types.ts";
import type { ResourceCall } from "./call.ts";
import { isTrue } from "./list-options.ts";
import { strategicFault } from "./patch-faults.ts";
import {
  decodeObject,
  jsonFault,
  mediaType,
  type Pruned,
  readBody,
  readDocument,
  readObject,
  repeatedIn,
} from "./read-object.ts";
import { repeatedKeys } from "./repeated-fields.ts";
import { answerObject, type Shown } from "./represent.ts";
import { parseSentYaml } from "./sent-yaml.ts";
import { isSettled, repeatableApply, settle } from "./settled-applies.ts";
import { readWriteOptions } from "./write-options.ts";

export async function postObject(world: World, call: ResourceCall): Promise<ApiResponse> {
  const options = readWriteOptions(call, "CreateOptions");
  const object = readSent(call);
  requireNamespace(call, object);
  const { served, namespace } = call;
  return answerWritten(world, call, createObject(world, { served, namespace, object }, options));
}

export async function putObject(world: World, call: ResourceCall): Promise<ApiResponse> {
  const { served, namespace, name } = call;
  const options = readWriteOptions(call, "UpdateOptions");
  const sent = readSent(call);
  requireNamespace(call, sent);
  if (!sent.metadata.name) throw nameless(name);
  const object = withName(sent, name);
  const live = world.store.get(served.type, namespace, name);
  if (live === undefined && !served.rules.createOnUpdate) throw notFound(served.info, name);
  requireVersion(object.metadata);
  if (live === undefined && options.subresource === "") {
    const { resourceVersion: _none, ...metadata } = object.metadata;
    const written = createObject(world, { served, namespace, object: { ...object, metadata } }, options);
    return answerWritten(world, call, written);
  }
  if (live === undefined) throw notFound(served.info, name);
  return answerWritten(world, call, updateObject(world, { served, live, object }, options));
}

export async function patchObject(world: World, call: ResourceCall): Promise<ApiResponse> {
  const type = mediaType(call.request);
  if (type === "application/apply-patch+yaml") return applyPatch(world, call);
  const { served, namespace, name, query } = call;
  const options = readWriteOptions(call, "PatchOptions");
  if (query.has("force"))
    throw invalidOption("PatchOptions", {
      reason: "FieldValueForbidden",
      field: "force",
      message: "Forbidden: may not be specified for non-apply patch",
    });
  if (!patchTypesOf(served).includes(type)) throw noSuchPatch(served);
  const live = world.store.get(served.type, namespace, name);
  if (live === undefined) throw notFound(served.info, name);
  const previous = fromStored(served, live.object);
  const object = decodePatched(call, previous);
  if (!object.metadata.name) throw nameless(name);
  requireNamespace(call, object);
  requireSameUid(call, previous, object);
  return answerWritten(world, call, updateObject(world, { served, live, object }, options));
}

/** What makes a patched document undecodable is the patch's fault, and reported so. */
function decodePatched(call: ResourceCall, previous: KubeObject): KubeObject {
  const { served, name, query } = call;
  const document = patchDocument(call, previous);
  if (!isRecord(document))
    throw badRequest(
      "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
    );
  const patched = patchedObject(call, document);
  if (patched.metadata.name) withName(patched, name);
  try {
    const fits = knownToFit(served, previous);
    return noted(call, decodeObject(served, patched, { directive: query.get("fieldValidation"), fits }));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const why = error.message.replace(/^\S+ in version "\S+" cannot be handled as an? \S+: /, "");
    const message =
      mediaType(call.request) === "application/strategic-merge-patch+json"
        ? strategicFault(why, readPatch(call.request), previous)
        : `Invalid value: ${JSON.stringify(stringifyJson(document))}: ${why}`;
    throw invalid({ group: "", kind: "" }, "", [{ reason: "FieldValueInvalid", field: "patch", message }]);
  }
}

/** Another kind is a fault of the patch too; of a custom resource, of its own. */
function patchedObject({ served }: ResourceCall, document: Record<string, unknown>): KubeObject {
  try {
    return readObject(document, served);
  } catch (error) {
    if (!(error instanceof ApiError) || served.crd !== undefined) throw error;
    const why = error.message.replace(/^\S+ in version "\S+" cannot be handled as an? \S+: /, "");
    const message = `Invalid value: ${JSON.stringify(stringifyJson(document))}: ${why}`;
    throw invalid({ group: "", kind: "" }, "", [{ reason: "FieldValueInvalid", field: "patch", message }]);
  }
}

/** The document after the patch of whichever type. */
export function patchDocument(
  { request, served }: Pick<ResourceCall, "request" | "served">,
  previous: KubeObject,
): unknown {
  const type = mediaType(request);
  const patch = readPatch(request);
  switch (type) {
    case "application/json-patch+json":
      return jsonPatch(previous, patch);
    case "application/merge-patch+json":
      return applyMergePatch(previous, patch);
    case "application/strategic-merge-patch+json":
      return strategicMergePatch(served.schema(), previous, patch);
  }
  throw noSuchPatch(served);
}

const simplePatches = ["application/json-patch+json", "application/merge-patch+json"];

function patchTypesOf({ crd }: Served): readonly string[] {
  const own = crd === undefined ? ["application/strategic-merge-patch+json"] : [];
  return [...simplePatches, ...own, "application/apply-patch+yaml"];
}

/** apiextensions-apiserver has words of its own, the rest of kube-apiserver those of its negotiation. */
function noSuchPatch(served: Served): ApiError {
  if (served.crd === undefined)
    return new ApiError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  const types = patchTypesOf(served).join(", ");
  const message = `the body of the request was in an unknown format - accepted media types include: ${types}`;
  return new ApiError(415, "UnsupportedMediaType", message);
}

function readPatch(request: ResourceCall["request"]): unknown {
  try {
    return parseBoundedJson(readBody(request));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(`error decoding patch: ${jsonFault(error, readBody(request))}`);
  }
}

async function applyPatch(world: World, call: ResourceCall): Promise<ApiResponse> {
  const { served, namespace, name, query } = call;
  const manager = query.get("fieldManager");
  if (!manager)
    throw invalidOption("PatchOptions", {
      reason: "FieldValueRequired",
      field: "fieldManager",
      message: "Required value: is required for apply patch",
    });
  const options = readWriteOptions(call, "PatchOptions");
  const repeatable = repeatableApply(world, call);
  if (repeatable && isSettled(repeatable))
    return answerInFile(world, call, { entry: repeatable.live, status: 200 });
  const told = call.notices.length;
  const applied = readApplied(call);
  call.notices.push(...repeatedInApplied(call));
  if (!applied.metadata.name) throw nameless(name);
  const object = withName(applied, name);
  requireNamespace(call, object);
  const force = isTrue(query.get("force"));
  const written = applyObject(world, { served, namespace, name, applied: object, force }, options);
  if (repeatable && written.isSettled && call.notices.length === told) settle(repeatable);
  return answerWritten(world, call, written);
}

/** patchers of k8s.io/apiserver's handlers/patch.go: applyPatcher reads the patch a second time, strictly. */
function repeatedInApplied({ request, query }: ResourceCall): readonly string[] {
  const directive = query.get("fieldValidation");
  const problem = directive === "Ignore" ? undefined : repeatedKeys(readBody(request));
  if (problem === undefined) return [];
  const told = `error converting YAML to JSON: ${problem}`;
  if (directive === "Strict") throw badRequest(`error strict decoding YAML: ${told}`);
  return [told];
}

export function readApplied({ request, served }: Pick<ResourceCall, "request" | "served">): KubeObject {
  const document = parseApplied(readBody(request));
  if (!isRecord(document)) throw badRequest("error decoding YAML: the patch is not an object");
  const { apiVersion = "", kind = "" } = document;
  if (apiVersion !== served.apiVersion || kind !== served.info.kind) {
    const [version, group = ""] = String(apiVersion).split("/").reverse();
    throw badRequest(`invalid object type: ${group}/${version}, Kind=${kind}`);
  }
  return readObject(document, served);
}

function parseApplied(text: string): unknown {
  try {
    return parseSentYaml(text);
  } catch (error) {
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : error}`);
  }
}

/** Whatever becomes of the request, its warnings are told. */
function noted({ notices }: ResourceCall, { object, warnings }: Pruned): KubeObject {
  notices.push(...warnings);
  return object;
}

function readSent(call: ResourceCall): KubeObject {
  const { request, served, query } = call;
  const object = readObject(readDocument(request, served.info.kind), served);
  const directive = query.get("fieldValidation");
  const repeated = directive === "Ignore" ? [] : repeatedIn(request);
  return noted(call, decodeObject(served, object, { directive, repeated }));
}

function requireNamespace({ served, namespace }: ResourceCall, { metadata }: KubeObject): void {
  if (served.info.namespaced && metadata.namespace && metadata.namespace !== namespace)
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
}

/** A patch that names another uid asks for a change that cannot be; a PUT that does means another object. */
function requireSameUid({ served }: ResourceCall, previous: KubeObject, { metadata }: KubeObject): void {
  const { uid } = metadata;
  if (!uid || uid === previous.metadata.uid) return;
  const message = `Invalid value: ${JSON.stringify(uid)}: field is immutable`;
  const problem = { reason: "FieldValueInvalid", field: "metadata.uid", message };
  const { update } = metadataPasses(served.rules);
  throw invalid(
    served.info,
    previous.metadata.name ?? "",
    Array.from({ length: update }, () => problem),
  );
}

function nameless(name: string): ApiError {
  return badRequest(
    `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
  );
}

function withName(object: KubeObject, name: string): KubeObject {
  const sent = object.metadata.name;
  if (sent && sent !== name)
    throw badRequest(`the name of the object (${sent}) does not match the name on the URL (${name})`);
  return { ...object, metadata: { ...object.metadata, name } };
}

export function answerWritten(
  world: World,
  call: ResourceCall,
  { object, entry, created }: Written,
): Promise<ApiResponse> {
  const shown = entry ? { entry } : { object: fromStored(call.served, object) };
  return answerInFile(world, call, { ...shown, status: created ? 201 : 200 });
}

/** Leaves only when the change is in the file. */
async function answerInFile(
  world: World,
  call: ResourceCall,
  shown: Shown & { status: number },
): Promise<ApiResponse> {
  const failure = await world.store.flushed();
  if (failure !== undefined) throw failure;
  return answerObject(world.clock, call, shown);
}
