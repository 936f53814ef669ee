import { routes } from "@capstan/wire";
import { useQuery } from "@tanstack/react-query";
import { ask } from "./ask.ts";

export interface Right {
  readonly resource: string;
  readonly action: string;
  /** As policies name it; `*` where there is no one object. */
  readonly object: string;
}

/** Whether whoever looks at the page may do it, as the server itself decides; no until it has said so. */
export function useCan({ resource, action, object }: Right): boolean {
  const query = useQuery({
    ...ask(routes.canI, { resource, action, subresource: object }),
    staleTime: 60_000,
  });
  return query.data?.value === "yes";
}
