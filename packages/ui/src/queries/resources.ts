import { type InOf, type Routes, routes } from "@capstan/wire";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { ask } from "./ask.ts";
import { call } from "./client.ts";

export type ResourceQuestion = Omit<InOf<Routes["listResources"]>, "limit" | "continue">;

/** A few objects whose names hold a text, for whoever looks for one of them. */
export const useNamedObjects = (search: string) =>
  useQuery({
    ...ask(routes.listResources, { search, limit: 20 }),
    enabled: search.length > 1,
    placeholderData: keepPreviousData,
    retry: false,
  });

const noPage: string | undefined = undefined;
const perPage = 500;

/** Objects of all applications, as many as people go on to. */
export function useResources(question: ResourceQuestion) {
  return useInfiniteQuery({
    queryKey: [routes.listResources.path, question],
    queryFn: ({ pageParam, signal }) =>
      call(routes.listResources, { ...question, limit: perPage, continue: pageParam }, signal),
    initialPageParam: noPage,
    getNextPageParam: ({ metadata }) => metadata.continue,
  });
}
