import { notifyManager, QueryClient } from "@tanstack/react-query";
import { RequestFailure } from "../streams/request-failure.ts";

// Before the next picture. A timer, which is the rule, comes after it: what is saved would show its former value once more.
notifyManager.setScheduler(queueMicrotask);

// What the browser thinks of the network says nothing about a server on this machine or in this house: it is asked all
// the same, and a failure says itself. Otherwise all questions would wait, in silence, until there is a network.
const networkMode = "always";

/** Of a server that is away, or of what stands before it. */
const awayStatuses = [0, 502, 503, 504];
const awayAgainMs = 10_000;

/** What a server that was away has not answered is asked again until it is back: nobody has to load the page anew. */
function againWhenAway({ state }: { state: { error: unknown } }): number | false {
  const { error } = state;
  return error instanceof RequestFailure && awayStatuses.includes(error.status) && awayAgainMs;
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode,
      refetchInterval: againWhenAway,
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      retry: (count, failure) =>
        count < 2 && failure instanceof RequestFailure && (failure.status === 0 || failure.status >= 500),
    },
  },
});
