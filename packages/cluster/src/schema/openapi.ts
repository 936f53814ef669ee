import type { KubeObject } from "../types.ts";

export function openapiV2(_crds: readonly KubeObject[]): Record<string, unknown> {
  return { swagger: "2.0", info: { title: "Kubernetes", version: "v1.36.3" }, paths: {}, definitions: {} };
}

export function openapiV3Index(_crds: readonly KubeObject[]): Record<string, unknown> {
  return { paths: {} };
}

export function openapiV3(
  _groupVersion: string,
  _crds: readonly KubeObject[],
): Record<string, unknown> | undefined {
  return undefined;
}
