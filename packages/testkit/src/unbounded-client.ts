import { projectAccess } from "@capstan/engine";
import { type KubeClient, knownKinds, TenantClient } from "@capstan/kube";
import { type AppProject, argoApiVersion, inClusterName, inClusterServer } from "@capstan/model";

const everything: AppProject = {
  apiVersion: argoApiVersion,
  kind: "AppProject",
  metadata: { name: "everything", namespace: "argocd" },
  spec: {
    sourceRepos: ["*"],
    destinations: [{ server: "*", namespace: "*" }],
    clusterResourceWhitelist: [{ group: "*", kind: "*" }],
  },
};

/** The client of an application whose project permits everything, for tests of what is done with a permit. */
export function unboundedClient(kube: KubeClient): TenantClient {
  const cluster = {
    server: inClusterServer,
    name: inClusterName,
    kindOf: (group: string, kind: string) => knownKinds(kube.discovery).get(`${group}/${kind}`),
  };
  const application = { namespace: "argocd", name: "test" };
  return new TenantClient(
    kube,
    projectAccess({ project: everything, application, cluster, controlNamespace: "argocd" }),
  );
}
