import { isRecord } from "@capstan/formats";
import type { Application, Manifest, ResourceKey } from "@capstan/model";

export const applicationGroup = "argoproj.io";

/** Objects of this kind come from an API server that has checked them against the CRD. */
export function isApplication(object: Manifest | undefined): object is Manifest & Application {
  return (
    object !== undefined &&
    object.kind === "Application" &&
    object.apiVersion.startsWith(`${applicationGroup}/`) &&
    typeof object.metadata.name === "string" &&
    isRecord(object.spec)
  );
}

export function applicationKey(namespace: string, name: string): ResourceKey {
  return { group: applicationGroup, kind: "Application", namespace, name };
}

export function keyOfApplication({ metadata }: Application): ResourceKey {
  return applicationKey(metadata.namespace ?? "", metadata.name);
}

export function applicationRef({ metadata }: Application) {
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    name: metadata.name,
    namespace: metadata.namespace,
  };
}
