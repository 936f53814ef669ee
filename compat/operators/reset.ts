import { type Cluster, tool } from "./install.ts";
import { namesIn } from "./objects.ts";

/**
 * CRDs, which helm leaves behind, and the namespace of the release; webhooks first, as nothing answers them. Then
 * whatever else was not there at first: no operator is judged by what another one left.
 */
export async function resetCluster(
  cluster: Cluster,
  namespace: string,
  first: ReadonlySet<string>,
): Promise<void> {
  const waiting = ["--wait=true", "--timeout=60s"];
  const remove = (...args: string[]) => tool(cluster, "kubectl", ["delete", ...args]);
  await remove("mutatingwebhookconfigurations,validatingwebhookconfigurations", "--all");
  await remove("customresourcedefinitions", "--all", ...waiting);
  await remove("namespace", namespace, "--ignore-not-found", ...waiting);
  for (const key of await namesIn(cluster)) {
    if (first.has(key)) continue;
    const [kind = "", place = ""] = key.split(" ");
    const [inside = "", name = ""] = place.split("/");
    await remove(
      kind,
      name,
      ...(inside === "" ? [] : ["--namespace", inside]),
      "--ignore-not-found",
      ...waiting,
    );
  }
}
