import { matchesAnyName } from "@capstan/engine";
import type { Settings } from "@capstan/kube";
import { type Application, argoApiVersion, type Manifest } from "@capstan/model";
import { isApplication } from "./read-objects.ts";

/** Applications live in the control namespace, and in those that application.namespaces names. */
export function applicationScope({ params }: Settings, namespace: string) {
  const patterns = (params["application.namespaces"] ?? "").split(",").map((part) => part.trim());
  const others = patterns.filter((pattern) => pattern !== "");
  const query = { apiVersion: argoApiVersion, kind: "Application" };
  if (others.length === 0) return { is: isApplication, query: { ...query, namespace } };
  const isInside = ({ metadata }: Manifest) =>
    metadata.namespace === namespace || matchesAnyName(others, metadata.namespace ?? "");
  return {
    is: (object: Manifest): object is Application => isApplication(object) && isInside(object),
    query,
  };
}
