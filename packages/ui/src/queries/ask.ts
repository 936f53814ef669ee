import type { Route } from "@capstan/wire";
import { call } from "./client.ts";

/** A query of one route. Its answer is kept by the request, and by whatever else makes an earlier answer old. */
export function ask<In extends object, Out>(route: Route<In, Out>, request: In, ...age: readonly unknown[]) {
  return {
    queryKey: [route.path, request, ...age],
    queryFn: ({ signal }: { signal: AbortSignal }) => call(route, request, signal),
  };
}
