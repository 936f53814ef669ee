import type { ApplicationWatchEvent } from "@capstan/wire";
import type { Api } from "../../client/api.ts";
import type { AppRef } from "./app-name.ts";

/** How an application is now, and each change of it; an absent one is the server's "does not exist". */
export async function* watchApp(
  api: Api,
  ref: AppRef,
  signal: AbortSignal,
): AsyncIterable<ApplicationWatchEvent> {
  const first = await api.call("getApplication", ref, signal);
  yield { type: "ADDED", application: first };
  for (;;) {
    // The server's snapshot at the start of a stream makes up for what was missed between two of them.
    for await (const event of api.stream("watchApplications", ref, signal)) yield event;
    signal.throwIfAborted();
    yield { type: "MODIFIED", application: await api.call("getApplication", ref, signal) };
  }
}
