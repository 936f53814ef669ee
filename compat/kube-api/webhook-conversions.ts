import { setTimeout as sleep } from "node:timers/promises";
import { isObject, type JsonObject } from "./script.ts";

/** What a conversion webhook says: the response without its uid, or something else altogether. */
export interface ConversionReply {
  status?: number;
  text?: string;
  review?: JsonObject;
  response?: JsonObject;
}

type Converting = (
  objects: readonly JsonObject[],
  desired: string,
) => ConversionReply | Promise<ConversionReply>;

/** v1 says spec.color, v2 spec.paint.color: a field that strategy None would lose. */
function converted(object: JsonObject, desired: string): JsonObject {
  const spec = isObject(object.spec) ? object.spec : {};
  const { color, paint, gloss, ...kept } = spec;
  const known = color ?? (isObject(paint) ? paint.color : undefined);
  const isNew = desired.endsWith("/v2");
  const rest = { ...kept, ...(isNew && gloss !== undefined && { gloss }) };
  const named = known === undefined ? {} : isNew ? { paint: { color: known } } : { color: known };
  return { ...object, apiVersion: desired, spec: { ...rest, ...named } };
}

const success = (convertedObjects: readonly JsonObject[]): ConversionReply => ({
  response: { result: { status: "Success" }, convertedObjects },
});

/** Each object converted, and then changed as no webhook should. */
const spoiled =
  (spoil: (object: JsonObject) => JsonObject): Converting =>
  (objects, desired) =>
    success(objects.map((object) => spoil(converted(object, desired))));

const metadataWith =
  (change: JsonObject): Converting =>
  (objects, desired) =>
    spoiled((object) => ({
      ...object,
      metadata: { ...(isObject(object.metadata) ? object.metadata : {}), ...change },
    }))(objects, desired);

const conversions: Readonly<Record<string, Converting>> = {
  convert: (objects, desired) => success(objects.map((object) => converted(object, desired))),
  extra: spoiled((object) => ({
    ...object,
    spec: { ...(isObject(object.spec) ? object.spec : {}), stray: 1 },
  })),
  unfit: spoiled((object) => ({ ...object, spec: { n: "many" } })),
  labels: metadataWith({ labels: { converted: "yes" }, annotations: { "a.b/c": "d" } }),
  badlabels: metadataWith({ labels: { converted: 1 } }),
  listlabels: metadataWith({ labels: ["converted"] }),
  renamed: metadataWith({ name: "other" }),
  moved: metadataWith({ namespace: "other" }),
  otheruid: metadataWith({ uid: "other" }),
  finalizers: metadataWith({ finalizers: ["a.b/c"], generation: 7 }),
  nometadata: spoiled(({ metadata: _metadata, ...object }) => object),
  otherkind: spoiled((object) => ({ ...object, kind: "Other" })),
  notconverted: (objects) => success(objects),
  nokind: spoiled(({ kind: _kind, ...object }) => object),
  toofew: () => success([]),
  failure: () => ({ response: { result: { status: "Failure", message: "not this one" } } }),
  failurebare: () => ({ response: { result: { status: "Failure" } } }),
  noresult: () => ({ response: { convertedObjects: [] } }),
  noresponse: () => ({ review: {} }),
  otherreview: () => ({ review: { response: { uid: "other", result: { status: "Success" } } } }),
  otherversion: () => ({ review: { apiVersion: "apiextensions.k8s.io/v9" } }),
  nothing: () => ({ text: "{}" }),
  nojson: () => ({ text: "hello" }),
  broken: () => ({ status: 500, text: "broken" }),
  missing: () => ({ status: 404, text: "missing" }),
  slow: async (objects, desired) => {
    await sleep(1_000);
    return success(objects.map((object) => converted(object, desired)));
  },
};

/** The answer to a ConversionReview. */
export async function answerConversion(behaviour: string, review: JsonObject): Promise<ConversionReply> {
  const request = isObject(review.request) ? review.request : {};
  const objects = Array.isArray(request.objects) ? request.objects.filter(isObject) : [];
  const reply = (await conversions[behaviour]?.(objects, String(request.desiredAPIVersion))) ?? {
    status: 404,
  };
  const { apiVersion, kind } = review;
  if (reply.review) return { ...reply, text: JSON.stringify({ apiVersion, kind, ...reply.review }) };
  if (!reply.response) return reply;
  return { text: JSON.stringify({ apiVersion, kind, response: { uid: request.uid, ...reply.response } }) };
}

/** A conversion as it is compared: how often one is asked for is the server's own affair, what it looks like is not. */
export function conversionSeen(review: JsonObject): JsonObject {
  const request = isObject(review.request) ? review.request : {};
  const objects = Array.isArray(request.objects) ? request.objects.filter(isObject) : [];
  return {
    keys: Object.keys(review).sort(),
    requestKeys: Object.keys(request).sort(),
    apiVersion: review.apiVersion,
    kind: review.kind,
    response: review.response,
    objectKeys: [
      ...new Set(objects.flatMap(({ spec: _spec, status: _status, ...head }) => Object.keys(head))),
    ].sort(),
  };
}
