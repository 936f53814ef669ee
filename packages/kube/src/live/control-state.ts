import type { Clock } from "@capstan/flow";
import { imageUpdaterGroup } from "@capstan/model";
import type { KubeClient } from "../client/kube-client.ts";
import type { KubeLog } from "../kube-log.ts";
import { createLiveState } from "./create-live-state.ts";
import type { LiveState } from "./live-state.ts";

const kinds: ReadonlySet<string> = new Set(
  ["Application", "ApplicationSet", "AppProject"]
    .map((kind) => `argoproj.io/${kind}`)
    .concat(`${imageUpdaterGroup}/ImageUpdater`),
);

/**
 * Applications, ApplicationSets, projects and ImageUpdaters in the cluster that Capstan runs on. No setting reaches it: neither
 * `resource.exclusions` nor a cluster Secret for the own cluster, which are about what is deployed, may close it or
 * hide an Application from the API (in Argo CD these are informers of the API server's own).
 */
export function createControlState(input: {
  client: KubeClient;
  clock: Clock;
  log: KubeLog;
  /** Only these. */
  namespaces?: readonly string[];
  isCompact?: boolean;
}): LiveState {
  return createLiveState({
    ...input,
    instanceOf: () => undefined,
    isExcluded: ({ group, kind }) => !kinds.has(`${group}/${kind}`),
  });
}
