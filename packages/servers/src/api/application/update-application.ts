import { parseBoundedJson } from "@capstan/formats";
import type { Patch } from "@capstan/kube";
import { type Application, CapstanError, messageOf, projectOf, saidMetadata } from "@capstan/model";
import type { Call, HandlerOf } from "../../call.ts";
import { applicationObject, requireRight } from "../access/rights.ts";
import type { ApiContext } from "../context.ts";
import { changeApplication } from "./change-application.ts";
import { checkApplication } from "./check-application.ts";
import { findApplication } from "./find-application.ts";
import { normalSpec } from "./normal-spec.ts";
import { applicationRef, isApplication } from "./read-application.ts";

export function updateApplication(context: ApiContext): HandlerOf<"updateApplication"> {
  return async ({ name, application, project, validate }, call) => {
    const request = { name, project, appNamespace: application?.metadata?.namespace };
    const app = await findApplication(context, {
      request,
      user: call.user,
      action: "update",
      signal: call.signal,
    });
    const wanted = call.keepUnsaid?.("application", application, app) ?? application;
    return replaceWith(context, app, { wanted, validate: validate ?? true, call });
  };
}

export function updateApplicationSpec(context: ApiContext): HandlerOf<"updateApplicationSpec"> {
  return async (request, call) => {
    const app = await findApplication(context, {
      request,
      user: call.user,
      action: "update",
      signal: call.signal,
    });
    const wanted = { ...app, spec: call.keepUnsaid?.("spec", request.spec, app.spec) ?? request.spec };
    return (await replaceWith(context, app, { wanted, validate: request.validate ?? true, call })).spec;
  };
}

export function patchApplication(context: ApiContext): HandlerOf<"patchApplication"> {
  return async (request, call) => {
    const { user, signal } = call;
    const app = await findApplication(context, { request, user, action: "update", signal });
    // The cluster applies the patch; what it gives is checked before anything is kept.
    const patch = readPatch(request);
    const patched = await context.kube.patch(applicationRef(app), patch, { signal, dryRun: true });
    if (!isApplication(patched))
      throw new CapstanError({
        code: "INVALID_ARGUMENT",
        field: "patch",
        problem: "changes what the object is",
      });
    return replaceWith(context, app, { wanted: patched, validate: true, call });
  };
}

/** A list of operations for type `json` (RFC 6902); anything else is a merge patch (RFC 7386). */
export function readPatch({ patch, patchType }: { patch: string; patchType?: string | undefined }): Patch {
  const type = patchType === "json" || patchType === "application/json-patch+json" ? "json" : "merge";
  try {
    const body: unknown = parseBoundedJson(patch);
    return type === "json" ? { type, body: [body].flat() } : { type, body };
  } catch (error) {
    const problem = `is not a ${type} patch: ${messageOf(error)}`;
    throw new CapstanError({ code: "INVALID_ARGUMENT", field: "patch", problem }, error);
  }
}

interface Replacement {
  wanted: Application;
  validate: boolean;
  call: Call;
}

/** Specification, labels, annotations and finalizers are replaced; status and operation stay the controller's. */
export async function replaceWith(
  context: ApiContext,
  app: Application,
  { wanted, validate, call }: Replacement,
): Promise<Application> {
  const { rights, controlNamespace } = context;
  const next = withParts(app, wanted);
  const [before, after] = [app, next].map((one) => applicationObject(one, controlNamespace));
  if (projectOf(app) !== projectOf(next)) {
    requireRight(rights, call.user, { resource: "applications", action: "create", object: after ?? "" });
    requireRight(rights, call.user, { resource: "applications", action: "update", object: before ?? "" });
  }
  await checkApplication(context, next, { validate, signal: call.signal, warn: call.warn });
  return changeApplication(context, app, {
    to: (current) => withParts(current, wanted),
    signal: call.signal,
  });
}

function withParts(current: Application, wanted: Application): Application {
  const { labels: _l, annotations: _a, finalizers: _f, ...kept } = current.metadata;
  return {
    ...current,
    spec: normalSpec(wanted.spec),
    metadata: {
      ...kept,
      ...saidMetadata(wanted.metadata),
    },
  };
}
