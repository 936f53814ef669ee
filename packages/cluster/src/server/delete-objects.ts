import { type DeleteOptions, deleteObject, type Propagation } from "../objects/delete-object.ts";
import { badRequest, invalidOption, notFound } from "../objects/failures.ts";
import type { World } from "../objects/world.ts";
import { fromStored } from "../registry/convert.ts";
import { ApiError, type ApiResponse, isRecord } from "../types.ts";
import { untilKnown } from "../webhooks/pending.ts";
import { answerJson } from "./answer.ts";
import type { ResourceCall } from "./call.ts";
import { readPage } from "./list-objects.ts";
import { readSelection } from "./list-options.ts";
import { deletionNotices } from "./notices.ts";
import { readBody, readDocument } from "./read-object.ts";
import { answerList, answerObject } from "./represent.ts";
import { readDryRun } from "./write-options.ts";

export async function deleteOne(world: World, call: ResourceCall): Promise<ApiResponse> {
  const { served, namespace, name } = call;
  const options = asked(call);
  const live = world.store.get(served.type, namespace, name);
  if (live === undefined) throw notFound(served.info, name);
  const deleted = deleteObject(world, { served, live }, options);
  const failure = await world.store.flushed();
  if (failure !== undefined) throw failure;
  if (!deleted.gone || served.rules.deletion?.answersObject)
    return answerObject(world.clock, call, { object: fromStored(served, deleted.object) });
  const { group, resource } = served.info;
  return answerJson({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name, ...(group && { group }), kind: resource, uid: live.uid },
  });
}

export async function deleteCollection(world: World, call: ResourceCall): Promise<ApiResponse> {
  const options = asked(call);
  const page = readPage(world, call, readSelection(call.served, call.query));
  const answer = answerList(world.clock, call, {
    entries: page.entries,
    list: { resourceVersion: page.list.resourceVersion },
  });
  for (const { namespace, name } of page.entries)
    await untilKnown(() => deleteIfThere(world, { call, namespace, name }, options), {
      signal: call.request.signal,
    });
  const failure = await world.store.flushed();
  if (failure !== undefined) throw failure;
  return answer;
}

interface OfCollection {
  call: ResourceCall;
  namespace: string;
  name: string;
}

/** Each by itself: webhooks may be asked, and others write meanwhile. */
function deleteIfThere(
  world: World,
  { call: { served }, namespace, name }: OfCollection,
  options: DeleteOptions,
): void {
  const live = world.store.get(served.type, namespace, name);
  if (live !== undefined) deleteObject(world, { served, live }, options);
}

function asked(call: ResourceCall): DeleteOptions {
  const options = readDeleteOptions(call);
  call.notices.push(...deletionNotices(call));
  return { ...options, requester: call.user, answers: call.answers, warn: (text) => call.notices.push(text) };
}

const propagations: readonly string[] = ["Foreground", "Background", "Orphan"];

const nothingAsked = new URLSearchParams();

/** DeleteOptions come in the body or, without one, in the query. */
export function readDeleteOptions(call: Pick<ResourceCall, "request" | "query">): DeleteOptions {
  const { request } = call;
  const isBare = readBody(request).trim() === "";
  const query = isBare ? call.query : nothingAsked;
  const document = isBare ? {} : readOptions(request);
  if (!isRecord(document)) throw badRequest("DeleteOptions: the body is not an object");
  const { kind = "DeleteOptions", apiVersion = "meta.k8s.io/v1" } = document;
  if (kind !== "DeleteOptions")
    throw badRequest(
      `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  return {
    dryRun: readBodyDryRun(document) || readDryRun(query, "DeleteOptions"),
    ...readPropagation(document, query),
    ...readGrace(document, query),
    ...readPreconditions(document),
  };
}

/** Unlike a body that is to be stored, options are complained about without their text. */
function readOptions(request: ResourceCall["request"]): unknown {
  try {
    return readDocument(request, "DeleteOptions");
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 400) throw error;
    throw badRequest(error.message.replace(/^the object provided .*?: (couldn't .*) \(.*\)$/s, "$1"));
  }
}

function readBodyDryRun({ dryRun }: Record<string, unknown>): boolean {
  if (!Array.isArray(dryRun)) return false;
  return readDryRun(new URLSearchParams(dryRun.map((value) => ["dryRun", String(value)])), "DeleteOptions");
}

function readPropagation(
  document: Record<string, unknown>,
  query: URLSearchParams,
): { propagation?: Propagation } {
  const orphan = document.orphanDependents ?? (query.get("orphanDependents") === "true" || undefined);
  const policy = document.propagationPolicy ?? query.get("propagationPolicy") ?? "";
  if (policy === "") return orphan === true ? { propagation: "Orphan" } : {};
  if (document.orphanDependents !== undefined)
    throw invalidOption("DeleteOptions", {
      reason: "FieldValueInvalid",
      field: "propagationPolicy",
      message: `Invalid value: ${JSON.stringify(policy)}: orphanDependents and deletionPropagation cannot be both set`,
    });
  if (isPropagation(policy)) return { propagation: policy };
  throw invalidOption("DeleteOptions", {
    reason: "FieldValueNotSupported",
    field: "propagationPolicy",
    message: `Unsupported value: "${policy}": supported values: "Foreground", "Background", "Orphan", "nil"`,
  });
}

function isPropagation(value: unknown): value is Propagation {
  return typeof value === "string" && propagations.includes(value);
}

function readGrace(
  document: Record<string, unknown>,
  query: URLSearchParams,
): { gracePeriodSeconds?: number } {
  const asked = document.gracePeriodSeconds ?? query.get("gracePeriodSeconds") ?? undefined;
  if (asked === undefined || asked === "") return {};
  const seconds = document.gracePeriodSeconds ?? Number(asked);
  if (typeof seconds !== "number" || !Number.isInteger(seconds))
    throw badRequest(
      `json: cannot unmarshal ${typeof asked} into Go struct field DeleteOptions.gracePeriodSeconds of type int64`,
    );
  return { gracePeriodSeconds: seconds };
}

function readPreconditions({
  preconditions,
}: Record<string, unknown>): Pick<DeleteOptions, "uid" | "resourceVersion"> {
  if (!isRecord(preconditions)) return {};
  const { uid, resourceVersion } = preconditions;
  return {
    ...(typeof uid === "string" && { uid }),
    ...(typeof resourceVersion === "string" && { resourceVersion }),
  };
}
