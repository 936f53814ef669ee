import { isDeepStrictEqual } from "node:util";
import { type ApplicationSet, CapstanError, type Manifest } from "@capstan/model";
import type { HandlerOf, Identity } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import { untilEchoed } from "../live-waits.ts";
import { writeAnew } from "../write-anew.ts";
import { readWanted } from "./check-application-set.ts";
import {
  type ApplicationSetNeeds,
  isStoredSet,
  keyOfSet,
  objectOfSet,
  refOfSet,
  applicationSetResource as resource,
  type StoredSet,
} from "./find-application-set.ts";

const notGenerated = "the Applications that it would make are not shown: no generator is worked on yet";

/** The same again is well; another one needs upsert, and the rights on what it was and becomes. */
export function createApplicationSet(context: ApplicationSetNeeds): HandlerOf<"createApplicationSet"> {
  return async ({ applicationset, upsert = false, dryRun = false }, { user, signal, warn }) => {
    const { kube, controlNamespace } = context;
    const wanted = readWanted(context, applicationset, user);
    const { name, namespace = controlNamespace } = wanted.metadata;
    if (dryRun) {
      warn?.(notGenerated);
      return wanted;
    }
    const written = await writeAnew(`ApplicationSet ${name}`, async () => {
      const existing = await kube.get(refOfSet(namespace, name), signal);
      return write(context, { wanted, existing, upsert, user, signal });
    });
    await untilEchoed(context.live, { key: keyOfSet(namespace, name), written }, { ...context, signal });
    return isStoredSet(written) ? written : wanted;
  };
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
  if (!isStoredSet(existing))
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
  return kube.replace(merged(existing, wanted), { signal });
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
function merged(existing: StoredSet, { metadata, spec }: ApplicationSet): Manifest {
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
