import { notifyManager, QueryClient } from "@tanstack/react-query";
import { RequestFailure } from "../streams/request-failure.ts";

// Before the next picture. A timer, which is the rule, comes after it: what is saved would show its former value once more.
notifyManager.setScheduler(queueMicrotask);

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
