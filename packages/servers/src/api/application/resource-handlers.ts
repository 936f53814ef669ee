import { stringifyJson } from "@capstan/formats";
import { CapstanError, type Manifest } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import { findResource, type ResourceNeeds, refOfObject } from "./find-resource.ts";
import type { RenderNeeds } from "./render-application.ts";
import { showObject } from "./show-object.ts";
import { readPatch } from "./update-application.ts";

export function getResource(context: ResourceNeeds & RenderNeeds): HandlerOf<"getResource"> {
  return async (request, { user, signal }) => {
    const found = await findResource(context, { request, user, action: "get", signal });
    return { manifest: stringifyJson(await showObject(context, found, signal)) };
  };
}

export function patchResource(context: ResourceNeeds & RenderNeeds): HandlerOf<"patchResource"> {
  return async (request, { user, signal }) => {
    const found = await findResource(context, { request, user, action: "update", signal });
    const { object, cluster, key } = found;
    let patched: Manifest;
    try {
      const patch = readPatch({ patch: request.patch, patchType: request.patchType });
      const options = { signal, ...(request.dryRun ? { dryRun: true } : {}) };
      patched = await cluster.client.patch(refOfObject(object), patch, options);
    } catch (error) {
      // The refusal may quote what the patch holds (server/application.go PatchResource says as little).
      if (key.kind !== "Secret" || key.group !== "") throw error;
      throw new CapstanError(
        {
          code: "FAILED_PRECONDITION",
          what: `failed to patch Secret ${key.namespace}/${key.name}`,
          problem: "the patch cannot be applied",
        },
        error,
      );
    }
    return { manifest: stringifyJson(await showObject(context, { ...found, object: patched }, signal)) };
  };
}

/** Foreground unless told otherwise; `force` does not wait for anything (server/application.go DeleteResource). */
export function deleteResource(context: ResourceNeeds): HandlerOf<"deleteResource"> {
  return async (request, { user, signal }) => {
    const { object, cluster } = await findResource(context, { request, user, action: "delete", signal });
    const { uid } = object.metadata;
    await cluster.client.delete(refOfObject(object), {
      signal,
      ...(uid ? { uid } : {}),
      ...(request.force
        ? { propagation: "Background", gracePeriodSeconds: 0 }
        : { propagation: request.orphan ? "Orphan" : "Foreground" }),
    });
    return {};
  };
}
