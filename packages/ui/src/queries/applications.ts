import type { ApplicationRow } from "@capstan/model";
import { unpackRows } from "@capstan/wire";
import { skipToken, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { untilVisible, whenHiddenLong } from "../streams/keep-live.ts";
import { openStream } from "../streams/open-streams.ts";
import { type RowsTold, rowKey } from "../streams/rows-told.ts";
import { rowsUrl } from "../streams/stream-port.ts";
import { streamFailure } from "./client.ts";
import { reportStream } from "./connection.ts";
import { pageSecret } from "./page-secret.ts";
import { queryClient } from "./query-client.ts";

/** By `namespace/name`. Rows that stay as they are are the same objects. */
export type ApplicationMap = ReadonlyMap<string, ApplicationRow>;

const listKey = ["applications"] as const;
const wholeKey = ["applications", "whole"] as const;

/** The rows after what was told of them. */
export function withTold(before: ApplicationMap, { reset, rows = [], gone = [] }: RowsTold): ApplicationMap {
  if (!reset && rows.length === 0 && gone.length === 0) return before;
  const next = new Map(reset ? [] : before);
  for (const key of gone) next.delete(key);
  for (const packed of rows) for (const row of unpackRows(packed)) next.set(rowKey(row), row);
  return next;
}

interface Follower {
  readonly signal: AbortSignal;
  onWhole?(): void;
  onFailure?(failure: unknown): void;
}

/** One look at the rows that the browser keeps: what there is, then what changes. */
function followOnce({ signal, onWhole, onFailure }: Follower): Promise<void> {
  return new Promise((resolve) => {
    let map: ApplicationMap = new Map();
    const hear = (told: RowsTold) => {
      if (told.connection) reportStream("applications", told.connection);
      if (told.failure) onFailure?.(streamFailure(told.failure));
      const next = withTold(map, told);
      const isFirst = queryClient.getQueryData(wholeKey) !== true;
      // What was there before is nearer to the truth than a part of what is.
      if (told.isWhole || (next !== map && isFirst) || queryClient.getQueryData(listKey) === map)
        queryClient.setQueryData(listKey, next);
      map = next;
      if (!told.isWhole) return;
      queryClient.setQueryData(wholeKey, true);
      onWhole?.();
    };
    const stream = openStream(
      { url: rowsUrl, secret: pageSecret() },
      // What the keeper of the rows tells.
      { open: () => undefined, message: (told) => hear(told as RowsTold), end: () => resolve() },
    );
    signal.addEventListener("abort", () => {
      stream.close();
      resolve();
    });
  });
}

/** While the window is looked at: it is told all of it again when it comes back. */
async function followList(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await untilVisible(signal);
    const round = new AbortController();
    const stop = whenHiddenLong(() => round.abort());
    await followOnce({ signal: AbortSignal.any([signal, round.signal]) });
    stop();
  }
  reportStream("applications", undefined);
}

/** The list as last known; undefined before the first answer. */
export function useApplications(): ApplicationMap | undefined {
  return useQuery<ApplicationMap>({
    queryKey: listKey,
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  }).data;
}

/** Whether the list as last known has everything: what is not in a part of it may yet come. */
export function useListIsWhole(): boolean {
  const whole = useQuery<boolean>({
    queryKey: wholeKey,
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  return whole.data === true;
}

/** Of a list whose page is still on its way. */
let expected: AbortController | undefined;
const longestWayMs = 30_000;

/** Asks for the list before its page is there, which then has it. */
export function expectApplications(): void {
  const begun = beginList();
  expected = begun;
  setTimeout(() => {
    if (expected === begun) takeExpected()?.abort();
  }, longestWayMs);
}

function beginList(): AbortController {
  const stop = new AbortController();
  void followList(stop.signal);
  return stop;
}

function takeExpected(): AbortController | undefined {
  const taken = expected;
  expected = undefined;
  return taken;
}

/** Keeps the list live while the calling page is shown. */
export function useLiveApplications(): ApplicationMap | undefined {
  useEffect(() => {
    const stop = takeExpected() ?? beginList();
    return () => stop.abort();
  }, []);
  return useApplications();
}

/** For the palette on pages that do not follow the list. */
export async function ensureApplications(signal: AbortSignal): Promise<void> {
  if (queryClient.getQueryData(wholeKey) === true) return;
  const enough = new AbortController();
  let failed: unknown;
  await followOnce({
    signal: AbortSignal.any([signal, enough.signal]),
    onWhole: () => enough.abort(),
    onFailure: (failure) => {
      failed = failure;
      enough.abort();
    },
  });
  reportStream("applications", undefined);
  if (failed) throw failed;
}
