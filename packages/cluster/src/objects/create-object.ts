import { randomInt, randomUUID } from "node:crypto";
import { asWritten, toStored } from "../registry/convert.ts";
import type { Served } from "../registry/served.ts";
import { trackUpdate } from "../schema/apply.ts";
import { ApiError, isRecord, type KubeObject, type ObjectMeta } from "../types.ts";
import { alreadyExists, forbidden, invalid, notFound } from "./failures.ts";
import { resetStatus, sentStatus, settle } from "./prepare.ts";
import { timestamp, type World, type WriteOptions, type Written } from "./world.ts";

export interface Creation {
  served: Served;
  namespace: string;
  object: KubeObject;
  /** Set where the fields' owners are known already, as after a server-side apply. */
  tracked?: boolean;
}

export function createObject(world: World, creation: Creation, options: WriteOptions): Written {
  const { served, namespace } = creation;
  const metadata = newMetadata(world, creation, options.identity);
  const name = metadata.name ?? "";
  requireOpenNamespace(world, creation, name);
  const { manager, subresource, requester } = options;
  const reset = resetStatus(served, { ...creation.object, metadata });
  const draft = requester === undefined ? reset : (served.rules.sign?.(reset, requester) ?? reset);
  const settled = settle(world, {
    served,
    object: draft,
    previous: undefined,
    options,
    track: (after) =>
      creation.tracked
        ? after
        : trackUpdate({
            schema: served.schema(),
            rules: served.rules,
            before: undefined,
            after,
            manager,
            time: timestamp(world.clock),
            ...sentStatus(served, creation.object, subresource),
            ...(subresource && { subresource }),
          }),
  });
  const { resourceVersion = "" } = creation.object.metadata;
  // The store's own rule, for which a text that is no number is none (storage/etcd3 store.Create).
  if (!options.dryRun && /^\d*[1-9]\d*$/.test(resourceVersion))
    throw new ApiError(500, "", "resourceVersion should not be set on objects to be created");
  const existing = world.store.get(served.type, namespace, name);
  if (existing !== undefined)
    throw alreadyExists(served.info, existing.object, settled.metadata.generateName);
  if (options.dryRun) return { object: asWritten(served, settled), entry: undefined, created: true };
  const entry = world.store.put(served.type, toStored(served, settled), undefined);
  return { object: entry.object, entry, created: true };
}

function newMetadata(
  world: World,
  { served, namespace, object }: Creation,
  identity: Identity = {},
): ObjectMeta {
  const { metadata } = object;
  const name =
    metadata.name ||
    (metadata.generateName && madeName(metadata.generateName, identity)) ||
    served.rules.namesItself?.();
  if (!name)
    throw invalid(served.info, "", [
      {
        reason: "FieldValueRequired",
        field: "metadata.name",
        message: "Required value: name or generateName is required",
      },
    ]);
  const {
    name: _name,
    namespace: _namespace,
    uid: _uid,
    resourceVersion: _version,
    generation,
    creationTimestamp: _created,
    deletionTimestamp: _deleted,
    deletionGracePeriodSeconds: _grace,
    selfLink: _link,
    ...kept
  } = metadata;
  return {
    name,
    ...(served.info.namespaced && { namespace }),
    uid: madeUid(identity),
    ...firstGeneration(served, generation),
    creationTimestamp: timestamp(world.clock),
    ...kept,
  };
}

type Identity = NonNullable<WriteOptions["identity"]>;

function madeName(base: string, identity: Identity): string {
  identity.name ??= generateName(base);
  return identity.name;
}

function madeUid(identity: Identity): string {
  identity.uid ??= randomUUID();
  return identity.uid;
}

/** Kinds that count nothing keep what the client wrote. */
function firstGeneration({ rules }: Served, sent: number | undefined): Pick<ObjectMeta, "generation"> {
  const first = rules.generation && !rules.startsUncounted ? 1 : sent;
  return first ? { generation: first } : {};
}

// apimachinery pkg/util/rand: no vowels and no look-alikes, so that no words appear.
const nameLetters = "bcdfghjklmnpqrstvwxz2456789";

/** apiserver pkg/storage/names: five letters, the whole at most 63 characters. */
export function generateName(base: string): string {
  let suffix = "";
  for (let index = 0; index < 5; index += 1) suffix += nameLetters[randomInt(nameLetters.length)];
  return base.slice(0, 58) + suffix;
}

/** The NamespaceLifecycle admission plugin. */
function requireOpenNamespace(
  { store, registry }: World,
  { served, namespace }: Creation,
  name: string,
): void {
  if (!served.info.namespaced) return;
  const found = store.get("/namespaces", "", namespace);
  if (found === undefined) {
    const namespaces = registry.find("", "v1", "namespaces");
    throw notFound(namespaces?.info ?? served.info, namespace);
  }
  const { metadata, status } = found.object;
  if (metadata.deletionTimestamp === undefined && !(isRecord(status) && status.phase === "Terminating"))
    return;
  throw forbidden(
    { info: served.info, name },
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: "NamespaceTerminating",
        message: `namespace ${namespace} is being terminated`,
        field: "metadata.namespace",
      },
    ],
  );
}
