import { followObjects, type KubeClient } from "@capstan/kube";
import {
  type Clock,
  errorsOf,
  isPipeline,
  type Manifest,
  type Pipeline,
  pipelineApiVersion,
  validatePipeline,
} from "@capstan/model";
import type { Log } from "@capstan/plugin-kit";

interface Input {
  kube: KubeClient;
  namespace: string;
  clock: Clock;
  log: Log;
}

/** The Pipelines of the control namespace, kept up to date; one that is wrong is left out and said in the log. */
export function watchPipelines(input: Input): { current(): readonly Pipeline[] } & AsyncDisposable {
  const { kube: client, namespace, clock, log } = input;
  const held = new Map<string, Pipeline>();
  let current: readonly Pipeline[] = [];
  const stop = new AbortController();
  const set = (object: Manifest): void => {
    const name = object.metadata.name ?? "";
    held.delete(name);
    const problems = errorsOf(validatePipeline(object));
    if (problems.length > 0) log.warn({ pipeline: name, problems }, `Pipeline ${name} is invalid`);
    else if (isPipeline(object)) held.set(name, object);
  };
  const publish = (): void => {
    current = [...held.values()];
  };
  const follower = {
    replaceAll: (objects: readonly Manifest[]) => {
      held.clear();
      for (const object of objects) set(object);
      publish();
    },
    changed: (object: Manifest) => {
      set(object);
      publish();
    },
    deleted: (object: Manifest) => {
      held.delete(object.metadata.name ?? "");
      publish();
    },
    problem: () => undefined,
  };
  const query = { apiVersion: pipelineApiVersion, kind: "Pipeline", namespace };
  const done = followObjects({ client, query, follower, clock, log, signal: stop.signal });
  return {
    current: () => current,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await done;
    },
  };
}
