import { isDeepStrictEqual } from "node:util";
import {
  type Application,
  type ApplicationSet,
  CapstanError,
  groupOf,
  isLiveSet,
  type Manifest,
  versionOf,
} from "@capstan/model";
import type { HandlerOf, Identity } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import { untilEchoed } from "../live-waits.ts";
import { writeAnew } from "../write-anew.ts";
import { readWanted } from "./check-application-set.ts";
import {
  type ApplicationSetNeeds,
  keyOfSet,
  objectOfSet,
  refOfSet,
  applicationSetResource as resource,
  type StoredSet,
} from "./find-application-set.ts";
import { applicationsOf, type GeneratingNeeds, placedAs } from "./generate-application-set.ts";
import { requireHostRights } from "./require-host-rights.ts";

/** The same again is well; another one needs upsert, and the rights on what it was and becomes. */
export function createApplicationSet(context: GeneratingNeeds): HandlerOf<"createApplicationSet"> {
  return async ({ applicationset, upsert = false, dryRun = false }, { user, signal }) => {
    const { kube, controlNamespace } = context;
    const wanted = readWanted(context, applicationset, user);
    await requireHostRights(context, wanted, { user, signal });
    const { name, namespace = controlNamespace } = wanted.metadata;
    if (dryRun) {
      const made = await applicationsOf(context, wanted, signal);
      const resources = resourcesOf(made.map((one) => placedAs(one, applicationset)));
      return { ...placedAs(wanted, applicationset), status: { resources } };
    }
    const written = await writeAnew(`ApplicationSet ${name}`, async () => {
      const existing = await kube.get(refOfSet(namespace, name), signal);
      return write(context, { wanted, existing, upsert, user, signal });
    });
    await untilEchoed(context.live, { key: keyOfSet(namespace, name), written }, { ...context, signal });
    return isLiveSet(written) ? written : wanted;
  };
}

/** What its status would list (server/applicationset Create with a dry run). */
function resourcesOf(applications: readonly Application[]) {
  return applications
    .map(({ apiVersion, kind, metadata: { name, namespace = "" } }) => ({
      group: groupOf(apiVersion),
      version: versionOf(apiVersion),
      kind,
      namespace,
      name,
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

interface Write {
  wanted: ApplicationSet;
  existing: Manifest | undefined;
  upsert: boolean;
  user: Identity;
  signal: AbortSignal;
}

async function write(context: ApplicationSetNeeds, of: Write): Promise<Manifest> {
  const { wanted, existing, upsert, user, signal } = of;
  const { kube, rights, controlNamespace } = context;
  if (existing === undefined) return kube.create(wanted, { signal });
  if (!isLiveSet(existing))
    throw new CapstanError({
      code: "FAILED_PRECONDITION",
      what: `ApplicationSet ${wanted.metadata.name}`,
      problem: "is there already, and is not one that can be read: mend or delete it with kubectl",
    });
  if (isSame(existing, wanted)) return existing;
  if (!upsert)
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field: "upsert",
      problem: "existing ApplicationSet spec is different, use upsert flag to force update",
    });
  for (const one of [existing, wanted])
    requireRight(rights, user, { resource, action: "update", object: objectOfSet(one, controlNamespace) });
  return kube.replace(mergeSet(existing, wanted), { signal });
}

function isSame(existing: StoredSet, wanted: ApplicationSet): boolean {
  const part = ({ metadata, spec }: ApplicationSet) => ({
    spec,
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    finalizers: metadata.finalizers ?? [],
  });
  return isDeepStrictEqual(part(existing), part(wanted));
}

/** An upsert adds to labels and annotations, and replaces specification and finalizers. */
export function mergeSet(existing: StoredSet, { metadata, spec }: ApplicationSet): StoredSet {
  const { finalizers: _, ...kept } = existing.metadata;
  return {
    ...existing,
    spec,
    metadata: {
      ...kept,
      labels: { ...kept.labels, ...metadata.labels },
      annotations: { ...kept.annotations, ...metadata.annotations },
      ...(metadata.finalizers ? { finalizers: metadata.finalizers } : {}),
    },
  };
}
