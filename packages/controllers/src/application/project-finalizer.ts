import { isNotFound } from "@capstan/kube";
import { type AppProject, finalizers, messageOf } from "@capstan/model";
import type { ApplicationNeeds } from "./application-needs.ts";

/** A project that is being deleted goes once no application refers to it (controller/appcontroller.go). */
export async function projectFinalizer(
  { apps, client, log }: Pick<ApplicationNeeds, "apps" | "client" | "log">,
  project: AppProject,
  signal: AbortSignal,
): Promise<void> {
  const { deletionTimestamp, finalizers: held = [], name, namespace, resourceVersion } = project.metadata;
  if (deletionTimestamp === undefined || !held.some((finalizer) => finalizer === finalizers.resources))
    return;
  for (const app of apps.all()) if ((app.spec.project || "default") === name) return;
  const rest = held.filter((finalizer) => finalizer !== finalizers.resources);
  const body = { metadata: { finalizers: rest, ...(resourceVersion ? { resourceVersion } : {}) } };
  const ref = { apiVersion: project.apiVersion, kind: project.kind, namespace, name };
  try {
    await client.patch(ref, { type: "merge", body }, { signal });
  } catch (error) {
    if (isNotFound(error) || signal.aborted) return;
    log.warn({ project: name, problem: messageOf(error) }, "the project's finalizer was not removed");
  }
}
