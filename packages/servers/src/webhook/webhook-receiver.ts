import type { Application } from "@capstan/model";
import { matchApplications } from "./match-applications.ts";
import type { PushEvent, WebhookRequest, WebhookSecrets } from "./push-event.ts";
import { readWebhook } from "./read-webhook.ts";
import { type RefreshNeeds, refreshApplications } from "./refresh-applications.ts";
import { repositoryIdentity } from "./repository-identity.ts";

export interface WebhookNeeds extends Omit<RefreshNeeds, "log"> {
  applications(): Iterable<Application>;
  secrets(): WebhookSecrets;
  /** Says that the repository has new commits, by every address under which applications know it. */
  forgetRevisions(url: string): void;
  /** One more accepted event of this provider. */
  count(provider: string): void;
  log: RefreshNeeds["log"] & { info(facts: object, message: string): void };
}

export interface WebhookAnswer {
  status: 200 | 400 | 401 | 503;
  message: string;
}

/** Pushes being worked on at a time, and waiting. Beyond that the sender is asked to come again. */
const maxEvents = 1000;

/** Checks a message and answers at once; the work follows the answer. */
export function createWebhookReceiver(needs: WebhookNeeds): {
  receive(request: WebhookRequest): WebhookAnswer;
  /** Settles when all accepted events are worked off. */
  idle(): Promise<void>;
} {
  const running = new Set<Promise<void>>();

  function start(provider: string, event: PushEvent): void {
    const work = handlePush(provider, event, needs)
      .catch((error: unknown) => {
        if (!needs.signal.aborted) needs.log.warn({ provider, err: error }, "webhook failed");
      })
      .finally(() => running.delete(work));
    running.add(work);
  }

  return {
    receive(request) {
      const reading = readWebhook(request, needs.secrets());
      if (reading.kind === "refused") return { status: reading.status, message: reading.message };
      if (reading.kind === "ignored") return { status: 200, message: "" };
      if (running.size >= maxEvents) return { status: 503, message: "too many webhook events are waiting" };
      needs.count(reading.provider);
      start(reading.provider, reading.event);
      return { status: 200, message: "" };
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

async function handlePush(provider: string, event: PushEvent, needs: WebhookNeeds): Promise<void> {
  const affected = matchApplications(event, needs.applications());
  for (const url of addressesOf(event, affected)) needs.forgetRevisions(url);
  const facts = { provider, urls: event.urls, ref: event.ref, changedFiles: event.changedFiles?.length };
  needs.log.info({ ...facts, refresh: affected.first.length, learn: affected.rest.length }, "push received");
  await refreshApplications(affected, needs);
}

function addressesOf(event: PushEvent, affected: ReturnType<typeof matchApplications>): Set<string> {
  const identities = new Set(event.urls.map(repositoryIdentity));
  const urls = new Set(event.urls);
  for (const { spec } of [...affected.first, ...affected.rest]) {
    const sources = [spec.source, ...(spec.sources ?? []), spec.sourceHydrator?.drySource];
    for (const source of sources) {
      if (source && identities.has(repositoryIdentity(source.repoURL))) urls.add(source.repoURL);
    }
  }
  return urls;
}
