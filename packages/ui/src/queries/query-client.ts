import { QueryClient } from "@tanstack/react-query";
import { RequestFailure } from "./client.ts";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      retry: (count, failure) =>
        count < 2 && failure instanceof RequestFailure && (failure.status === 0 || failure.status >= 500),
    },
  },
});
