import { type Clock, Listeners } from "@capstan/flow";
import { equalJson } from "@capstan/formats";
import { followObjects, type KubeClient, type KubeLog, type ListQuery } from "@capstan/kube";
import { labelKeys, type Manifest } from "@capstan/model";
import type { PluginService } from "@capstan/wire";
import { readPluginServices } from "./plugin-services.ts";

export interface PluginServicesInput {
  kube: KubeClient;
  /** The control namespace. */
  namespace: string;
  clock: Clock;
  log: KubeLog;
}

export interface PluginServices extends AsyncDisposable {
  current(): readonly PluginService[];
  /** Tells when one has come, changed or gone, or its endpoints have. */
  onChange(listener: () => void): () => void;
  /** Until what is there is known, or known to be forbidden: before that a source may seem to be nobody's. */
  ready(signal: AbortSignal): Promise<void>;
}

/** The plugins that run as Services, kept up to date: the value that the repo server is given. */
export function watchPluginServices(input: PluginServicesInput): PluginServices {
  const { namespace } = input;
  const first = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const services = new Map<string, Manifest>();
  const slices = new Map<string, Manifest>();
  let current: readonly PluginService[] = [];
  const listeners = new Listeners<[]>((error) =>
    input.log.warn({ error }, "what follows changed plugins' services failed"),
  );
  const read = (): void => {
    const before = current;
    current = readPluginServices(services.values(), slices.values());
    if (!equalJson(before, current)) listeners.tell();
  };
  const stop = new AbortController();
  const follow = (query: ListQuery, held: Map<string, Manifest>, known: () => void) =>
    followKind(query, { ...input, held, read, known, signal: stop.signal });
  const labelSelector = `${labelKeys.plugin}=true`;
  const done = Promise.all([
    follow({ apiVersion: "v1", kind: "Service", namespace, labelSelector }, services, first[0].resolve),
    follow({ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", namespace }, slices, first[1].resolve),
  ]);
  return {
    current: () => current,
    onChange: (listener) => listeners.add(listener),
    ready: (signal) => untilKnown(Promise.all(first.map(({ promise }) => promise)), signal),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await done;
    },
  };
}

function followKind(
  query: ListQuery,
  input: PluginServicesInput & {
    held: Map<string, Manifest>;
    read(): void;
    known(): void;
    signal: AbortSignal;
  },
): Promise<void> {
  const { kube: client, clock, log, signal, held, read, known } = input;
  const set = (object: Manifest) => held.set(object.metadata.name ?? "", object);
  const follower = {
    replaceAll: (all: readonly Manifest[]) => {
      held.clear();
      for (const object of all) set(object);
      read();
      known();
    },
    changed: (object: Manifest) => {
      set(object);
      read();
    },
    deleted: (object: Manifest) => {
      held.delete(object.metadata.name ?? "");
      read();
    },
    problem: known,
  };
  return followObjects({ client, query, follower, clock, log, signal });
}

function untilKnown(known: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    known.then(() => resolve()).finally(() => signal.removeEventListener("abort", stop));
  });
}
