import { type ApplicationSet, deletionHeldCondition } from "@capstan/model";
import { type ApplicationSetWatchEvent, type ListOf, routes } from "@capstan/wire";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { AppRef } from "../paths.ts";
import { keepLive, type LiveSource } from "../streams/keep-live.ts";
import { ask } from "./ask.ts";
import { call, readStream } from "./client.ts";
import { reportStream } from "./connection.ts";
import { queryClient } from "./query-client.ts";

const requestOf = ({ namespace, name }: AppRef) => ({ name, appsetNamespace: namespace });

type SetList = ListOf<ApplicationSet>;

const listQuery = ask(routes.listApplicationSets, {});
const queryOf = (set: AppRef) => ask(routes.getApplicationSet, requestOf(set));

/** All of them, kept live while the calling page is shown. */
export function useApplicationSets() {
  useEffect(() => {
    const { queryKey } = listQuery;
    const show = (events: readonly ApplicationSetWatchEvent[]) =>
      queryClient.setQueryData<SetList>(queryKey, (list) => list && withChanges(list, events));
    return followSets({ query: {}, queryKey, show });
  }, []);
  return useQuery(listQuery);
}

/** One of them, likewise. */
export function useApplicationSet({ namespace, name }: AppRef) {
  useEffect(() => {
    const { queryKey } = queryOf({ namespace, name });
    const show = (events: readonly ApplicationSetWatchEvent[]) => {
      const last = events.at(-1);
      if (last?.type === "DELETED") void queryClient.invalidateQueries({ queryKey });
      else if (last) queryClient.setQueryData(queryKey, last.applicationSet);
    };
    return followSets({ query: requestOf({ namespace, name }), queryKey, show });
  }, [namespace, name]);
  return useQuery(queryOf({ namespace, name }));
}

function withChanges(list: SetList, events: readonly ApplicationSetWatchEvent[]): SetList {
  const idOf = ({ metadata }: ApplicationSet) => `${metadata.namespace}/${metadata.name}`;
  const sets = new Map(list.items.map((set) => [idOf(set), set]));
  for (const { type, applicationSet } of events)
    if (type === "DELETED") sets.delete(idOf(applicationSet));
    else sets.set(idOf(applicationSet), applicationSet);
  return { ...list, items: [...sets.values()] };
}

interface Followed {
  readonly query: { name?: string; appsetNamespace?: string };
  /** Of what is shown. */
  readonly queryKey: readonly unknown[];
  show(events: readonly ApplicationSetWatchEvent[]): void;
}

/**
 * Shows each change, until the answer is called. What went before the stream was open it does not tell: once it is, it is
 * asked again what there is, and also where a change comes before the answer to that.
 */
function followSets({ query, queryKey, show }: Followed): () => void {
  const stop = new AbortController();
  const askAnew = () => void queryClient.invalidateQueries({ queryKey });
  const source: LiveSource<readonly ApplicationSetWatchEvent[], ApplicationSetWatchEvent> = {
    report: (connection) => reportStream("application-sets", connection),
    load: async () => [],
    follow: (_, reader) => {
      const onOpen = () => {
        reader.onOpen();
        askAnew();
      };
      return readStream(routes.watchApplicationSets, query, { ...reader, onOpen });
    },
    apply: (_, events) => events,
    publish: (events) => {
      if (events.length === 0) return;
      show(events);
      if (queryClient.isFetching({ queryKey }) > 0) askAnew();
    },
    fail: () => undefined,
  };
  void keepLive(source, stop.signal);
  return () => stop.abort();
}

type Condition = NonNullable<
  NonNullable<NonNullable<ReturnType<typeof useApplicationSet>["data"]>["status"]>["conditions"]
>[number];

/** What the controller would do now; asked anew whenever the set says something else, or `age` is another. */
export const useSetDiff = (set: AppRef, ...age: readonly unknown[]) =>
  useQuery({ ...ask(routes.diffApplicationSet, requestOf(set), ...age), retry: false });

/** What would be done if this were written. */
export const useWantedDiff = (applicationSet: ApplicationSet) =>
  useQuery({ ...ask(routes.diffApplicationSet, { applicationSet }), retry: false, staleTime: 0 });

/** Creates it, or writes it over the one of its name. */
export async function writeApplicationSet(applicationset: ApplicationSet, upsert: boolean): Promise<void> {
  await call(routes.createApplicationSet, { applicationset, upsert });
  await forgetSets();
}

export async function deleteApplicationSet(set: AppRef): Promise<void> {
  await call(routes.deleteApplicationSet, requestOf(set));
  await forgetSets();
}

async function forgetSets(): Promise<void> {
  const paths = [routes.listApplicationSets, routes.getApplicationSet].map(({ path }) => path);
  await Promise.all(paths.map((path) => queryClient.invalidateQueries({ queryKey: [path] })));
}

export function heldDeletions(
  conditions: readonly Condition[] = [],
): { message: string; code: string } | undefined {
  const held = conditions.find(({ type }) => type === deletionHeldCondition);
  // The command with its code ends the message.
  return held && { message: held.message, code: held.message.split(" ").at(-1) ?? "" };
}

/** Consents to the deletions that the code names. */
export async function allowDeletion(set: AppRef, code: string): Promise<void> {
  await call(routes.allowApplicationSetDeletion, { ...requestOf(set), code });
  await queryClient.invalidateQueries({ queryKey: [routes.getApplicationSet.path] });
}
