import { stringifyJson } from "@capstan/formats";
import type { Manifest } from "@capstan/model";
import type { DeleteOptions } from "./kube-client.ts";
import { isNotFound } from "./kube-error.ts";
import type { RawRequests } from "./raw-requests.ts";
import { readManifest } from "./read-manifest.ts";

/** The object as it was left, or undefined when it is gone. */
export async function deleteObject(
  json: RawRequests["json"],
  url: string,
  options: DeleteOptions,
): Promise<Manifest | undefined> {
  const { signal, propagation, uid, resourceVersion, gracePeriodSeconds, dryRun } = options;
  const body = stringifyJson({
    apiVersion: "v1",
    kind: "DeleteOptions",
    ...(propagation ? { propagationPolicy: propagation } : {}),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(dryRun ? { dryRun: ["All"] } : {}),
    ...(uid || resourceVersion
      ? { preconditions: { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) } }
      : {}),
  });
  const headers = { "content-type": "application/json" };
  try {
    const answer = await json({ method: "DELETE", url, headers, body, signal });
    return answer.kind === "Status" ? undefined : readManifest(answer);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
