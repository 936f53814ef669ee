import { routes, type SubjectKind } from "@capstan/wire";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { call } from "./client.ts";
import { queryClient } from "./query-client.ts";

export interface Right {
  readonly resource: string;
  readonly action: string;
  /** As policies name it; `*` where there is no one object. */
  readonly object: string;
}

interface Waiting {
  readonly right: Right;
  readonly answer: PromiseWithResolvers<boolean>;
}

/** As many as the server takes in one request. */
const atOnce = 2000;
const waiting: Waiting[] = [];

/** What all buttons of a page ask in the same moment travels together. */
function askTogether(right: Right): Promise<boolean> {
  const answer = Promise.withResolvers<boolean>();
  if (waiting.length === 0) queueMicrotask(() => void askAll(waiting.splice(0)));
  waiting.push({ right, answer });
  return answer.promise;
}

async function askAll(all: readonly Waiting[]): Promise<void> {
  for (let from = 0; from < all.length; from += atOnce) {
    const part = all.slice(from, from + atOnce);
    try {
      const { allowed } = await call(routes.askRights, { rights: part.map(({ right }) => right) });
      for (const [index, { answer }] of part.entries()) answer.resolve(allowed[index] ?? false);
    } catch (failure) {
      for (const { answer } of part) answer.reject(failure);
    }
  }
}

const staleMs = 60_000;

const queryOf = (right: Right) =>
  queryOptions({
    queryKey: [routes.askRights.path, right],
    queryFn: () => askTogether(right),
    staleTime: staleMs,
  });

/** Whether whoever looks at the page may do it, as the server itself decides; nothing until it has said so. */
export function useRight(right: Right): boolean | undefined {
  return useQuery(queryOf(right)).data;
}

/** No until the server has said so. */
export function useCan(right: Right): boolean {
  return useRight(right) ?? false;
}

/** Of each of them in their order; no until the server has said so. */
export function useCanEach(rights: readonly Right[]): readonly boolean[] {
  return useRights(rights).map((may) => may ?? false);
}

/** Of each of them in their order; nothing until the server has said so. */
export function useRights(rights: readonly Right[]): readonly (boolean | undefined)[] {
  const query = useQuery({
    queryKey: [routes.askRights.path, rights],
    queryFn: () => Promise.all(rights.map((right) => queryClient.fetchQuery(queryOf(right)))),
    staleTime: staleMs,
    placeholderData: keepPreviousData,
    enabled: rights.length > 0,
  });
  return rights.map((_right, index) => query.data?.[index]);
}

/** Of somebody else, in their order. */
export async function askRightsOf(
  kind: SubjectKind,
  subject: string,
  rights: readonly Right[],
): Promise<readonly boolean[]> {
  return (await call(routes.askRightsOf, { kind, subject, rights: [...rights] })).allowed;
}

/**
 * Does it as soon as the server has said that whoever looks at the page may do one of them at least, if he still looks
 * at it then; also where the server cannot be asked: what it does says so itself.
 */
export async function whenAllowed(rights: readonly Right[], act: () => void): Promise<void> {
  const { pathname } = window.location;
  const may = await Promise.all(
    rights.map((right) => queryClient.fetchQuery(queryOf(right)).catch(() => true)),
  );
  if (may.includes(true) && window.location.pathname === pathname) act();
}
