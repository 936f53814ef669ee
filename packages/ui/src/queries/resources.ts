import { type InOf, type Routes, routes } from "@capstan/wire";
import { useInfiniteQuery } from "@tanstack/react-query";
import { call } from "./client.ts";

export type ResourceQuestion = Omit<InOf<Routes["listResources"]>, "limit" | "continue">;

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
