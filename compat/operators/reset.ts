import { type Cluster, tool } from "./install.ts";

/** CRDs, which helm leaves behind, and the namespace of the release; webhooks first, as nothing answers them. */
export async function resetCluster(cluster: Cluster, namespace: string): Promise<void> {
  const hooks = "mutatingwebhookconfigurations,validatingwebhookconfigurations";
  await tool(cluster, "kubectl", ["delete", hooks, "--all"]);
  await tool(cluster, "kubectl", [
    "delete",
    "customresourcedefinitions",
    "--all",
    "--wait=true",
    "--timeout=60s",
  ]);
  await tool(cluster, "kubectl", [
    "delete",
    "namespace",
    namespace,
    "--ignore-not-found",
    "--wait=true",
    "--timeout=60s",
  ]);
}
