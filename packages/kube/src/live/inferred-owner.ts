import { isRecord } from "@capstan/formats";
import type { Manifest } from "@capstan/model";
import { listAt, recordAt, textAt } from "../read-json.ts";

/**
 * Some objects plainly have an owner that no ownerReference names. Both sides are matched by a text: what the
 * owner offers and what the child wants. Source: gitops-engine pkg/cache/references.go
 * resolveResourceReferences (Endpoints, token Secrets, claims of a StatefulSet, what OLM installs).
 */
export function offersOf(object: Manifest): string[] {
  const { kind, apiVersion, metadata } = object;
  const place = `${metadata.namespace ?? ""}/`;
  if (kind === "Service" && apiVersion === "v1") return [`service ${place}${metadata.name}`];
  if (kind === "ServiceAccount" && apiVersion === "v1") return [`account ${place}${metadata.name}`];
  if (isOfOlm(object, "OperatorGroup")) return [`group ${place}${metadata.name}`];
  if (kind !== "StatefulSet") return [];
  return listAt(recordAt(object, "spec"), "volumeClaimTemplates")
    .filter(isRecord)
    .map((template) => `claims ${place}${textAt(recordAt(template, "metadata"), "name")}-${metadata.name}`);
}

export function wantedOwner(object: Manifest): string | undefined {
  const { kind, apiVersion, metadata } = object;
  if (metadata.ownerReferences?.length) return undefined;
  const place = `${metadata.namespace ?? ""}/`;
  const group = metadata.annotations?.["olm.operatorGroup"];
  if (group && isOfOlm(object, "ClusterServiceVersion")) return `group ${place}${group}`;
  if (apiVersion !== "v1") return undefined;
  if (kind === "Endpoints") return `service ${place}${metadata.name}`;
  if (kind === "Secret" && object.type === "kubernetes.io/service-account-token") {
    return `account ${place}${metadata.annotations?.["kubernetes.io/service-account.name"]}`;
  }
  if (kind !== "PersistentVolumeClaim") return undefined;
  const claims = /^(.+)-\d+$/.exec(metadata.name ?? "")?.[1];
  return claims === undefined ? undefined : `claims ${place}${claims}`;
}

function isOfOlm({ apiVersion, kind }: Manifest, wanted: string): boolean {
  return kind === wanted && apiVersion.startsWith("operators.coreos.com/");
}
