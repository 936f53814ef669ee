import type { Clock } from "@capstan/flow";
import type { KubeClient, KubeLog } from "@capstan/kube";
import { argoApiVersion, isAppProject } from "@capstan/model";
import { ObjectStore } from "../loop/object-store.ts";
import { tellProjects } from "./project-status.ts";

interface Input {
  kube: KubeClient;
  clock: Clock;
  log: KubeLog;
  /** The control namespace. */
  namespace: string;
}

/** Projects say in their status what of them is not honoured. */
export function startProjectStatus({ kube: client, clock, log, namespace }: Input): AsyncDisposable {
  const stop = new AbortController();
  const shared = { client, clock, log };
  const projects = new ObjectStore({
    ...shared,
    is: isAppProject,
    query: { apiVersion: argoApiVersion, kind: "AppProject", namespace },
  });
  tellProjects(projects, { ...shared, signal: stop.signal });
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await projects[Symbol.asyncDispose]();
    },
  };
}
