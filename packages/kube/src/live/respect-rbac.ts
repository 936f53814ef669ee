import { isRecord } from "@capstan/formats";
import type { ApiResource } from "../client/api-resource.ts";
import type { KubeClient } from "../client/kube-client.ts";
import { KubeError } from "../client/kube-error.ts";

/** `resource.respectRBAC`: what a refused list means. off: something is wrong. Otherwise the kind is left alone. */
export type RbacRespect = "off" | "normal" | "strict";

interface Asked {
  client: KubeClient;
  row: ApiResource;
  /** Undefined: everywhere. */
  namespace: string | undefined;
  respect: RbacRespect;
}

/**
 * Whether a kind is left alone after its list has failed so. `strict` asks the server whether the account may list it
 * at all: then the refusal was another's, such as a proxy's, and remains a problem (gitops-engine pkg/cache/cluster.go
 * isRestrictedResource, checkPermission). Of a 401 nothing is learnt about the kind: the credentials do not hold.
 */
export async function isLeftAlone(
  { client, row, namespace, respect }: Asked,
  error: unknown,
  signal: AbortSignal,
): Promise<boolean> {
  if (respect === "off" || !(error instanceof KubeError) || error.code !== 403) return false;
  if (respect === "normal") return true;
  const { group, resource } = row;
  const review = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    metadata: {},
    spec: { resourceAttributes: { verb: "list", group, resource, namespace: namespace ?? "" } },
  };
  try {
    const { status } = await client.create(review, { signal });
    return !(isRecord(status) && status.allowed === true);
  } catch (reason) {
    signal.throwIfAborted();
    if (reason instanceof KubeError) return false;
    throw reason;
  }
}
