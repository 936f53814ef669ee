import { projectAccess } from "@capstan/engine";
import { type KubeClient, knownKinds, TenantClient } from "@capstan/kube";
import { inClusterName, inClusterServer } from "@capstan/model";
import { sketchProject } from "./applications.ts";

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
    projectAccess({
      project: sketchProject("everything"),
      application,
      cluster,
      controlNamespace: "argocd",
      actsAs: { kind: "capstan" },
    }),
  );
}
