import type { Clock } from "@capstan/flow";
import type { KubeClient, KubeLog } from "@capstan/kube";
import { type ApplicationSet, argoApiVersion, isApplicationSet, isAppProject } from "@capstan/model";
import { tellApplicationSets } from "./application-set/application-set-status.ts";
import { ObjectStore } from "./loop/object-store.ts";
import { tellProjects } from "./project/project-status.ts";

interface Input {
  kube: KubeClient;
  clock: Clock;
  log: KubeLog;
  /** The control namespace. */
  namespace: string;
}

/** Projects and ApplicationSets say in their status what of them is not honoured. */
export function startStatusLoops({ kube: client, clock, log, namespace }: Input): AsyncDisposable {
  const stop = new AbortController();
  const shared = { client, clock, log };
  const query = (kind: string) => ({ apiVersion: argoApiVersion, kind });
  const projects = new ObjectStore({
    ...shared,
    is: isAppProject,
    query: { ...query("AppProject"), namespace },
  });
  const sets = new ObjectStore<ApplicationSet>({
    ...shared,
    is: isApplicationSet,
    query: query("ApplicationSet"),
  });
  const needs = { ...shared, signal: stop.signal };
  tellProjects(projects, needs);
  tellApplicationSets(sets, needs);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all([projects[Symbol.asyncDispose](), sets[Symbol.asyncDispose]()]);
    },
  };
}
