import { skipToken, useQuery } from "@tanstack/react-query";
import { queryClient } from "./query-client.ts";

/** A value that outlives the component that shows it, as long as the page is open. */
export function useKept<T>(key: readonly unknown[]): [T | undefined, (value: T | undefined) => void] {
  const { data } = useQuery<T | null>({
    queryKey: key,
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  return [data ?? undefined, (value) => queryClient.setQueryData<T | null>(key, value ?? null)];
}
