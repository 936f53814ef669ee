import type { Clock } from "@capstan/flow";
import type { KubeClient } from "../client/kube-client.ts";
import type { KubeLog } from "../kube-log.ts";
import { createLiveState } from "./create-live-state.ts";
import type { LiveState } from "./live-state.ts";

const kinds: ReadonlySet<string> = new Set(["Application", "ApplicationSet", "AppProject"]);

/**
 * Applications, ApplicationSets and projects in the cluster that Capstan runs on. No setting reaches it: neither
 * `resource.exclusions` nor a cluster Secret for the own cluster, which are about what is deployed, may close it or
 * hide an Application from the API (in Argo CD these are informers of the API server's own).
 */
export function createControlState(input: { client: KubeClient; clock: Clock; log: KubeLog }): LiveState {
  return createLiveState({
    ...input,
    instanceOf: () => undefined,
    isExcluded: ({ group, kind }) => group !== "argoproj.io" || !kinds.has(kind),
  });
}
