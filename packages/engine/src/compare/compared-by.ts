import type { Application } from "@capstan/model";
import { compareOptions } from "./build-targets.ts";

/**
 * What says whether an object is as git wants it: its values and who owns them, with a dry run where they leave a
 * doubt; or for each the server, by a dry run, with or without what admission makes of it.
 */
export type ComparedBy = "ownership" | "server" | "server and webhooks";

/** The annotation of the Application, else the setting of all (controller/state.go CompareAppState). */
export function comparedBy(
  app: Pick<Application, "metadata">,
  { serverSideDiff }: { serverSideDiff: boolean },
): ComparedBy {
  const said = compareOptions(app);
  const asksServer = (serverSideDiff || said.has("ServerSideDiff=true")) && !said.has("ServerSideDiff=false");
  return asksServer ? comparedByServer(app) : "ownership";
}

export function comparedByServer(app: Pick<Application, "metadata">): "server" | "server and webhooks" {
  return compareOptions(app).has(withWebhooks) ? "server and webhooks" : "server";
}

const withWebhooks = "IncludeMutationWebhook=true";

/** What is said of webhooks, and nobody asks the server. */
export function idleCompareOptions(
  app: Pick<Application, "metadata">,
  general: { serverSideDiff: boolean },
): string[] {
  const isIdle = comparedBy(app, general) === "ownership" && compareOptions(app).has(withWebhooks);
  return isIdle ? [`compare option ${withWebhooks}: it has an effect only with ServerSideDiff=true`] : [];
}
