import type { ImpactedObject } from "@capstan/engine";
import { makeMergePatch } from "@capstan/formats";
import { KubeError, type TenantCluster } from "@capstan/kube";
import { CapstanError, formatKey, keyOf, type Manifest } from "@capstan/model";
import { refOfObject } from "./find-resource.ts";

type Writer = Pick<TenantCluster["client"], "create" | "patch">;

export interface Change {
  live: Manifest;
  impacted: readonly ImpactedObject[];
  cluster: Pick<TenantCluster, "refusalOf">;
  /** Who writes; each object needs a permit of its own there. */
  client: Writer;
  signal: AbortSignal;
}

/**
 * Does what an action wants: nothing at all before the project has been asked about every object and the cluster
 * about every new one (server/application.go RunResourceActionV2).
 */
export async function changeObjects({ live, impacted, cluster, client, signal }: Change): Promise<void> {
  for (const { object } of impacted) {
    const problem = cluster.refusalOf(keyOf(object));
    if (problem)
      throw new CapstanError({ code: "FAILED_PRECONDITION", what: formatKey(keyOf(object)), problem });
  }
  const made = impacted.filter(({ operation }) => operation === "create");
  for (const { object } of made) await client.create(object, { dryRun: true, signal });
  for (const { operation, object } of impacted) {
    if (operation === "create") await client.create(object, { signal });
    else await patchObject(client, { live, object }, signal);
  }
}

/** What of the status changed is written there, where the kind has one of its own. */
async function patchObject(
  client: Writer,
  { live, object }: { live: Manifest; object: Manifest },
  signal: AbortSignal,
): Promise<void> {
  const patch = makeMergePatch(live, object);
  if (!patch) return;
  const ref = refOfObject(live);
  const { status, ...rest } = patch;
  const write = (body: object, subresource?: "status") =>
    client.patch(ref, { type: "merge", body }, { signal, ...(subresource ? { subresource } : {}) });
  if (status === undefined) {
    await write(patch);
    return;
  }
  try {
    await write({ status }, "status");
  } catch (error) {
    if (!(error instanceof KubeError) || error.code !== 404) throw error;
    await write(patch);
    return;
  }
  if (Object.keys(rest).length > 0) await write(rest);
}
