import type { Clock } from "@capstan/flow";
import { followObjects, type KubeClient } from "@capstan/kube";
import {
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

export interface PipelineSource extends AsyncDisposable {
  current(): readonly Pipeline[];
  /** Tells of each that has come, changed or gone. */
  onChange(listener: (pipeline: Pipeline) => void): () => void;
}

/**
 * The Pipelines of the control namespace, kept up to date. One that breaks a rule stays: applications that name it
 * are told what is wrong with it. What has not even a Pipeline's shape is left out and said in the log.
 */
export function watchPipelines(input: Input): PipelineSource {
  const { kube: client, namespace, clock, log } = input;
  const held = new Map<string, Pipeline>();
  let current: readonly Pipeline[] = [];
  const stop = new AbortController();
  const listeners = new Set<(pipeline: Pipeline) => void>();
  const set = (object: Manifest): void => {
    const name = object.metadata.name ?? "";
    held.delete(name);
    const problems = validatePipeline(object);
    if (problems.length > 0) log.warn({ pipeline: name, problems }, `Pipeline ${name} is invalid`);
    if (isPipeline(object)) held.set(name, object);
  };
  /** A watch that begins anew brings everything again. */
  const publish = (): void => {
    const before = new Map(current.map((one) => [one.metadata.name, one]));
    current = [...held.values()];
    for (const name of new Set([...before.keys(), ...held.keys()])) {
      const [old, now] = [before.get(name), held.get(name)];
      const changed = now ?? old;
      if (!changed || JSON.stringify(old?.spec) === JSON.stringify(now?.spec)) continue;
      for (const tell of listeners) tell(changed);
    }
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
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await done;
    },
  };
}
