import { applicationNamespaces, isApplicationNamespace } from "@capstan/engine";
import type { Settings } from "@capstan/kube";
import { type Application, argoApiVersion, type Manifest } from "@capstan/model";
import { isApplication } from "./read-objects.ts";

/** Applications live in the control namespace, and in those that application.namespaces names. */
export function applicationScope({ params }: Settings, namespace: string) {
  const setting = params["application.namespaces"];
  const others = applicationNamespaces(setting);
  const query = { apiVersion: argoApiVersion, kind: "Application" };
  if (others.length === 0) return { is: isApplication, query: { ...query, namespace } };
  const isInside = ({ metadata }: Manifest) =>
    isApplicationNamespace(metadata.namespace ?? "", { controlNamespace: namespace, setting });
  return {
    is: (object: Manifest): object is Application => isApplication(object) && isInside(object),
    query,
  };
}
