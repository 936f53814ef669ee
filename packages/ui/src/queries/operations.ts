import { routes } from "@capstan/wire";
import { useQuery } from "@tanstack/react-query";
import type { AppRef } from "../paths.ts";
import { ask } from "./ask.ts";
import { scopeOf } from "./scope.ts";

/** What operations did; asked for anew when `comparison` is another (`comparisonOf`). */
export function useOperations(app: AppRef, comparison: string) {
  return useQuery({ ...ask(routes.listOperations, scopeOf(app), comparison), placeholderData: (old) => old });
}

export interface ChangedObject {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** What one operation made of an object; it never changes. */
export function useOperationObject(app: AppRef, id: string, object: ChangedObject) {
  const { group, kind, namespace, name: resourceName } = object;
  return useQuery({
    ...ask(routes.getOperationObject, { ...scopeOf(app), id, group, kind, namespace, resourceName }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}
