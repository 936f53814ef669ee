import { isConflict, textsIn } from "@capstan/kube";
import { CapstanError, type Manifest } from "@capstan/model";
import type { ApiContext } from "./context.ts";

type Needs = Pick<ApiContext, "kube" | "controlNamespace">;

/** What etcd takes of one object, less what surrounds the data. */
const maxDataBytes = 1024 * 1024 - 16 * 1024;

/** A ConfigMap of the control namespace as it is now; one that is not there is empty. */
export interface HeldMap {
  readonly name: string;
  readonly data: Readonly<Record<string, string>>;
  readonly stored: Manifest | undefined;
}

export async function fetchMap(
  { kube, controlNamespace: namespace }: Needs,
  name: string,
  signal: AbortSignal,
): Promise<HeldMap> {
  const stored = await kube.get({ apiVersion: "v1", kind: "ConfigMap", namespace, name }, signal);
  return { name, data: textsIn(stored?.data), stored };
}

/** Refused where somebody else has changed it since it was fetched. */
export async function writeMap(
  { kube, controlNamespace: namespace }: Needs,
  { name, stored }: HeldMap,
  { data, signal }: { data: Readonly<Record<string, string>>; signal: AbortSignal },
): Promise<void> {
  const bytes = Object.entries(data).reduce((sum, entry) => sum + Buffer.byteLength(entry.join("")), 0);
  if (bytes > maxDataBytes) {
    const problem = `would hold ${bytes} bytes, and a ConfigMap takes ${maxDataBytes}: delete what is not needed`;
    throw new CapstanError({ code: "FAILED_PRECONDITION", what: `ConfigMap ${name}`, problem });
  }
  // Argo CD reads only maps with this label.
  const labels = { "app.kubernetes.io/part-of": "argocd" };
  const made = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace, labels }, data };
  const write = stored ? kube.replace({ ...stored, data }, { signal }) : kube.create(made, { signal });
  await write.catch((error: unknown) => {
    throw isConflict(error)
      ? new CapstanError({ code: "CONFLICT", what: `ConfigMap ${name}` }, error)
      : error;
  });
}
