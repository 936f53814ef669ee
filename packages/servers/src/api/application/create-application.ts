import { isDeepStrictEqual } from "node:util";
import { type Application, argoApiVersion, CapstanError, saidMetadata } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import { applicationObject, requireRight } from "../access/rights.ts";
import type { ApiContext } from "../context.ts";
import { untilEchoed } from "../live-waits.ts";
import { changeApplication, withoutField } from "./change-application.ts";
import { checkApplication } from "./check-application.ts";
import { readApplication } from "./find-application.ts";
import { normalSpec } from "./normal-spec.ts";
import { isApplication, keyOfApplication } from "./read-application.ts";

export function createApplication(context: ApiContext): HandlerOf<"createApplication"> {
  return async ({ application, upsert, validate }, { user, signal, warn, keepUnsaid }) => {
    const { rights, controlNamespace, kube, live, clock } = context;
    const wanted = readNewApplication(application, controlNamespace);
    const object = applicationObject(wanted, controlNamespace);
    requireRight(rights, user, { resource: "applications", action: "create", object });
    await checkApplication(context, wanted, { validate: validate ?? true, signal, warn });
    const { name, namespace = controlNamespace } = wanted.metadata;
    const existing = await readApplication(context, { name, namespace, signal });
    if (existing === undefined) {
      const written = await kube.create(wanted, { signal });
      await untilEchoed(live, { key: keyOfApplication(wanted), written }, { clock, signal });
      return isApplication(written) ? written : wanted;
    }
    if (isSame(existing, wanted)) return existing;
    if (!upsert)
      throw new CapstanError({
        code: "INVALID_ARGUMENT",
        field: "metadata.name",
        problem: `of "${name}" is taken: existing application spec is different, use upsert flag to force update`,
      });
    for (const one of [existing, wanted])
      requireRight(rights, user, {
        resource: "applications",
        action: "update",
        object: applicationObject(one, controlNamespace),
      });
    const to = (current: Application) =>
      merged(current, keepUnsaid?.("application", wanted, current) ?? wanted);
    return changeApplication(context, existing, { to, signal });
  };
}

/** Clients may leave out what the kind says anyway; an operation is not created with the application. */
function readNewApplication(given: Application, controlNamespace: string): Application {
  const name = given?.metadata?.name;
  if (typeof name !== "string" || name === "")
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field: "metadata.name",
      problem: "is missing; name the application",
    });
  return {
    apiVersion: argoApiVersion,
    kind: "Application",
    metadata: {
      name,
      namespace: given.metadata.namespace || controlNamespace,
      ...saidMetadata(given.metadata),
    },
    spec: normalSpec({ ...given.spec }),
  };
}

/** What a create decides; the cluster adds the rest. */
function isSame(existing: Application, wanted: Application): boolean {
  const part = ({ metadata, spec }: Application) => ({
    spec,
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    finalizers: metadata.finalizers ?? [],
  });
  return isDeepStrictEqual(part(existing), part(wanted));
}

/** An upsert adds to labels and annotations, and replaces specification and finalizers (Argo CD updateApp). */
function merged(current: Application, wanted: Application): Application {
  return {
    ...current,
    spec: wanted.spec,
    metadata: {
      ...withoutField(current.metadata, "finalizers"),
      labels: { ...current.metadata.labels, ...wanted.metadata.labels },
      annotations: { ...current.metadata.annotations, ...wanted.metadata.annotations },
      ...(wanted.metadata.finalizers ? { finalizers: wanted.metadata.finalizers } : {}),
    },
  };
}
