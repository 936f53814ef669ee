import type { ApplicationWatchEvent } from "@capstan/wire";
import type { Api } from "../../api.ts";
import type { AppRef } from "./app-name.ts";

/** How an application is now, and each change of it; an absent one is the server's "does not exist". */
export async function* watchApp(
  api: Api,
  ref: AppRef,
  signal: AbortSignal,
): AsyncIterable<ApplicationWatchEvent> {
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  try {
    for (;;) {
      // Listening begins before the question, so that nothing falls between the two.
      const events = await api.stream("watchApplications", ref, either);
      yield { type: "MODIFIED", application: await api.call("getApplication", ref, either) };
      yield* events;
      signal.throwIfAborted();
    }
  } finally {
    ended.abort();
  }
}
