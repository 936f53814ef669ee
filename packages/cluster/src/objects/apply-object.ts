import { fromStored, otherVersions } from "../registry/convert.ts";
import { serverSideApply, settleTimes } from "../schema/apply.ts";
import { decodeProblems } from "../schema/decode.ts";
import { pruneUnknown } from "../schema/prune.ts";
import { ApiError, type KubeObject } from "../types.ts";
import { createObject } from "./create-object.ts";
import { conflict, notFound, requireVersion } from "./failures.ts";
import { updateObject } from "./update-object.ts";
import { type Place, timestamp, type World, type WriteOptions, type Written } from "./world.ts";

export interface Apply extends Place {
  applied: KubeObject;
  force: boolean;
}

/** Server-side apply (KEP-555): creates what is absent. */
export function applyObject(world: World, apply: Apply, options: WriteOptions): Written {
  const { served, namespace, name, applied, force } = apply;
  const live = world.store.get(served.type, namespace, name);
  const isCreated = options.subresource === "" || served.rules.createOnStatusApply === true;
  if (live === undefined && !isCreated) throw notFound(served.info, name);
  if (live === undefined && applied.metadata.uid)
    throw conflict(
      served.info,
      name,
      `uid mismatch: the provided object specified uid ${applied.metadata.uid}, and no existing object was found`,
    );
  const before = live && fromStored(served, live.object);
  const result = serverSideApply({
    schema: served.schema(),
    rules: served.rules,
    live: before,
    applied,
    manager: options.manager,
    force,
    time: timestamp(world.clock),
    versions: otherVersions(served),
    ...(options.subresource && { subresource: options.subresource }),
  });
  const { resourceVersion } = applied.metadata;
  requireVersion(applied.metadata);
  if (live !== undefined && resourceVersion && resourceVersion !== live.object.metadata.resourceVersion)
    throw conflict(served.info, name);
  // What is stored has been decoded, defaulted and validated: an apply that changes nothing ends here.
  const isSettled = before !== undefined && settleTimes(before, result) === before;
  if (isSettled && !world.admission.isAwaited())
    return { object: before, entry: live, created: false, isSettled: true };
  const merged = decoded(apply, result);
  if (live === undefined) {
    const { resourceVersion: _sent, ...metadata } = merged.metadata;
    const object = { ...merged, metadata };
    return createObject(world, { served, namespace, object, tracked: true }, options);
  }
  const metadata = { ...merged.metadata, resourceVersion: live.object.metadata.resourceVersion ?? "" };
  return updateObject(world, { served, live, object: { ...merged, metadata }, tracked: true }, options);
}

/** What was applied is decoded as a whole only now, because the merge itself reports unknown fields. */
function decoded({ served, applied }: Apply, merged: KubeObject): KubeObject {
  const [problem] = decodeProblems(served.schema(), served.info, { object: merged });
  if (problem !== undefined) {
    const { namespace = "", name = "" } = applied.metadata;
    const why = problem.message.replace(/^\S+ in version "\S+" cannot be handled as an? \S+: /, "");
    const version = served.apiVersion.includes("/") ? served.apiVersion : `/${served.apiVersion}`;
    const kind = `${version}, Kind=${served.info.kind}`;
    throw new ApiError(
      500,
      "",
      `failed to convert new object (${namespace}/${name}; ${kind}) to proper version: unable to convert unstructured object to ${kind}: ${why}`,
    );
  }
  return pruneUnknown(served.schema(), merged).object;
}
