import type { Application, ApplicationTree } from "@capstan/model";
import { type ApplicationWatchEvent, routes, type TreeChange, withTreeChange } from "@capstan/wire";
import { skipToken, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { AppRef } from "../paths.ts";
import { keepLive } from "../streams/keep-live.ts";
import { call, readStream } from "./client.ts";
import { reportStream } from "./connection.ts";
import { queryClient } from "./query-client.ts";
import { scopeOf } from "./scope.ts";

export interface LiveApplication {
  readonly app: Application | undefined;
  readonly tree: ApplicationTree | undefined;
  /** It does not exist or may not be seen. */
  readonly failure: unknown;
  /** It was here and has been deleted since. */
  readonly deleted: boolean;
}

const keys = {
  app: ({ namespace, name }: AppRef) => ["application", namespace, name] as const,
  tree: ({ namespace, name }: AppRef) => ["resource-tree", namespace, name] as const,
};

/** Puts what a mutation answered on the screen before the stream brings it. */
export function showApplication(app: Application): void {
  const { namespace = "", name } = app.metadata;
  queryClient.setQueryData(keys.app({ namespace, name }), app);
}

function followApplication(ref: AppRef, tell: Tell, signal: AbortSignal): Promise<void> {
  return keepLive<Application | undefined, ApplicationWatchEvent>(
    {
      report: (connection) => reportStream("application", connection),
      load: (within) => call(routes.getApplication, scopeOf(ref), within),
      follow: (app, reader) => {
        const resourceVersion = app?.metadata.resourceVersion;
        const query = resourceVersion ? { ...scopeOf(ref), resourceVersion } : scopeOf(ref);
        return readStream(routes.watchApplications, query, reader);
      },
      apply: (app, events) => {
        const last = events.at(-1);
        if (!last) return app;
        tell.deleted(last.type === "DELETED");
        return last.type === "DELETED" ? app : last.application;
      },
      publish: (app) => {
        tell.failed(undefined);
        queryClient.setQueryData(keys.app(ref), app);
      },
      fail: (failure) => tell.failed(failure),
    },
    signal,
  );
}

function followTree(ref: AppRef, signal: AbortSignal): Promise<void> {
  return keepLive<ApplicationTree | undefined, TreeChange>(
    {
      report: (connection) => reportStream("resource-tree", connection),
      // The stream begins with the whole.
      load: async () => undefined,
      follow: (_, reader) => readStream(routes.watchTreeChanges, scopeOf(ref), reader),
      apply: (tree, changes) => changes.reduce(withTreeChange, tree),
      publish: (tree) => tree && queryClient.setQueryData(keys.tree(ref), tree),
      fail: () => undefined,
    },
    signal,
  );
}

interface Tell {
  failed(failure: unknown): void;
  deleted(gone: boolean): void;
}

const kept = { staleTime: Number.POSITIVE_INFINITY, queryFn: skipToken } as const;

/** Of an application that is looked at. */
export function useTree(ref: AppRef): ApplicationTree | undefined {
  // Its changes keep what stays the same: nothing is to be gained by looking for it once more.
  return useQuery<ApplicationTree>({ ...kept, queryKey: keys.tree(ref), structuralSharing: false }).data;
}

export function useLiveApplication(ref: AppRef): LiveApplication {
  const { namespace, name } = ref;
  const [failure, setFailure] = useState<unknown>();
  const [deleted, setDeleted] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    setFailure(undefined);
    setDeleted(false);
    const followed = { namespace, name };
    void followApplication(followed, { failed: setFailure, deleted: setDeleted }, stop.signal);
    void followTree(followed, stop.signal);
    return () => stop.abort();
  }, [namespace, name]);
  const app = useQuery<Application>({ ...kept, queryKey: keys.app(ref) }).data;
  const tree = useTree(ref);
  return { app, tree, failure, deleted };
}
