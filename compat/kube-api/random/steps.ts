import { collectionOf, type Kind, nameOf, objectOf } from "../kinds/kind.ts";
import {
  get,
  isObject,
  type JsonObject,
  merged,
  patch,
  post,
  put,
  remove,
  type Step,
  withQuery,
} from "../script.ts";
import { appliedPart, jsonPatch, mergePatch, strategicPatch } from "./bodies.ts";
import { edited } from "./edits.ts";
import type { Operation, Read, Removal, Scaling, Sequence, Slot, Write } from "./operations.ts";
import type { Schemas } from "./schemas.ts";

/** A controller goes on with these after they were deleted, at a moment of its own. */
const lingering = new Set([
  "Namespace",
  "Job",
  "ReplicationController",
  "CustomResourceDefinition",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "VolumeAttributesClass",
]);

interface Playing {
  schemas: Schemas;
  kind: Kind;
  /** Slots whose version an earlier step has captured. */
  known: Set<Slot>;
  /** Slots that a controller may be at work on. */
  left: Set<Slot>;
}

/** The requests of a sequence, and at the end a look at what is stored. */
export function stepsOf(schemas: Schemas, { kind, operations }: Sequence): Step[] {
  const playing: Playing = { schemas, kind, known: new Set(), left: new Set() };
  const steps = operations.flatMap((operation) => {
    const one = kind.objectName === undefined ? operation : { ...operation, slot: "a" as const };
    return stepsOfOne(playing, one);
  });
  return playing.left.has("a") ? steps : [...steps, get(pathTo(kind, "a"))];
}

function stepsOfOne(playing: Playing, operation: Operation): Step[] {
  const { kind, left } = playing;
  const { slot } = operation;
  const isOfAll = operation.verb === "list" || operation.verb === "deleteCollection";
  if (left.has(slot) || (isOfAll && left.size > 0)) return [];
  switch (operation.verb) {
    case "get":
    case "list":
      return [reading(kind, operation)];
    case "delete":
    case "deleteCollection":
      return [removing(playing, operation)];
    case "scale":
      return [scaling(kind, operation)];
    default:
      return writing(playing, operation);
  }
}

const nameFor = (kind: Kind, slot: Slot): string => (slot === "a" ? nameOf(kind) : `${nameOf(kind)}-b`);
const pathTo = (kind: Kind, slot: Slot): string => `${collectionOf(kind)}/${nameFor(kind, slot)}`;
const asked = (path: string, query: string): string => (query === "" ? path : withQuery(path, query));

function reading(kind: Kind, { verb, slot, tail }: Read): Step {
  if (verb === "get") return get(`${pathTo(kind, slot)}${tail}`);
  return get(withQuery(collectionOf(kind), `labelSelector=case%3D<id>${tail}`));
}

function removing({ kind, left }: Playing, { verb, slot, query, body }: Removal): Step {
  const policy = body?.propagationPolicy;
  if (lingering.has(kind.kind) || policy === "Foreground" || policy === "Orphan") {
    left.add(slot);
    if (verb === "deleteCollection") left.add("a").add("b");
  }
  const path =
    verb === "delete" ? pathTo(kind, slot) : withQuery(collectionOf(kind), "labelSelector=case%3D<id>");
  return remove(asked(path, query), body);
}

function scaling(kind: Kind, { how, slot, replicas, query }: Scaling): Step {
  const path = `${pathTo(kind, slot)}/scale`;
  const part: JsonObject = { spec: { replicas } };
  const whole = {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name: nameFor(kind, slot), namespace: "<ns>" },
    ...part,
  };
  const plain = query.replace(/&?force=true/, "");
  if (how === "get") return get(path);
  if (how === "put") return put(asked(path, plain), whole);
  if (how === "merge") return patch("merge", asked(path, plain), part);
  if (how === "json")
    return patch("json", asked(path, plain), [{ op: "replace", path: "/spec/replicas", value: replicas }]);
  return patch("apply", asked(path, query), whole);
}

function writing(playing: Playing, write: Write): Step[] {
  const { schemas, kind, known } = playing;
  const { verb, slot, subresource, edits, query } = write;
  const named = { metadata: { name: nameFor(kind, slot) } };
  const base = objectOf(kind, merged(subresource === "status" ? (kind.status ?? {}) : {}, named));
  const change = { schemas, root: schemas.of(kind), base, edits };
  const path = asked(subresource === "" ? pathTo(kind, slot) : `${pathTo(kind, slot)}/${subresource}`, query);
  if (verb === "create") return [post(asked(collectionOf(kind), query), edited(base, edits))];
  if (verb === "merge") return [patch("merge", path, mergePatch(change))];
  if (verb === "json") return [patch("json", path, jsonPatch(change))];
  if (verb === "strategic") return [patch("strategic", path, replacing(write, strategicPatch(change)))];
  if (verb === "apply") {
    const part = { ...appliedPart(change), apiVersion: kind.apiVersion, kind: kind.kind };
    const body = write.part
      ? { ...part, metadata: merged(named.metadata, metadataOf(part)) }
      : edited(base, edits);
    return [patch("apply", path, body)];
  }
  const version = `rv${slot}`;
  const look = get(pathTo(kind, slot), { capture: { [version]: "metadata.resourceVersion" } });
  const isNew = write.version === "read" || (write.version === "stale" && !known.has(slot));
  if (isNew) known.add(slot);
  const read = write.version === "none" ? {} : { metadata: { resourceVersion: `<${version}>` } };
  return [...(isNew ? [look] : []), put(path, edited(merged(base, read), edits))];
}

function metadataOf({ metadata }: JsonObject): JsonObject {
  return isObject(metadata) ? metadata : {};
}

/** The first struct of the patch takes the place of what was there. */
function replacing({ replace }: Write, change: JsonObject): JsonObject {
  const [first] = Object.entries(change);
  if (!replace || first === undefined || !isObject(first[1])) return change;
  return { ...change, [first[0]]: { ...first[1], $patch: "replace" } };
}
