import { ownTurn, tellStep, tracedFrom } from "@capstan/flow";
import { type Application, type ApplicationSet, withoutUserinfo } from "@capstan/model";
import { EventQueue } from "./event-queue.ts";
import { LateLearners } from "./late-learners.ts";
import { type AffectedApplications, isPushedTo, matchApplications, matchSets } from "./match-applications.ts";
import { matchPullRequests, type PullRequestEvent } from "./pull-requests.ts";
import type { PushEvent, WebhookRequest } from "./push-event.ts";
import { keyOf, type Push, PushQueue } from "./push-queue.ts";
import { type CommitNeeds, PushedCommits, provenCommit } from "./pushed-commits.ts";
import {
  admitWebhook,
  maxUnprovenBytes,
  readWebhook,
  type WebhookAdmission,
  type WebhookRefusal,
  type WebhookRules,
} from "./read-webhook.ts";
import {
  type RefreshNeeds,
  refreshApplications,
  refreshImages,
  refreshSets,
  whoLooks,
} from "./refresh-applications.ts";
import { admitRegistry } from "./registry-push.ts";

export interface WebhookNeeds extends Omit<RefreshNeeds, "log">, CommitNeeds {
  applications(): Iterable<Application>;
  applicationSets(): Iterable<ApplicationSet>;
  rules(): WebhookRules;
  /** Of a registry, by its key of argocd-secret below `webhook.`. */
  registrySecret(key: string): string | undefined;
  /** Something was pushed to a registry under this name (HOST/PATH): those that follow it. */
  imageFollowers(image: string): readonly Application[];
  /** Says that the repository has new commits, by every address under which applications know it. */
  forgetRevisions(url: string): void;
  /** Files of its one source that are not as the application has seen them last; undefined: nobody can say. */
  changedFiles(
    app: Application,
    wanted: { revision: string | undefined },
    signal: AbortSignal,
  ): Promise<readonly string[] | undefined>;
  /** One more accepted event of this provider; `repo`: "" where nothing here follows it, as anybody may make names up. */
  count(provider: string, repo: string): void;
  log: RefreshNeeds["log"] & { info(facts: object, message: string): void };
}

export interface WebhookAnswer {
  status: 200 | 400 | 401 | 503;
  message: string;
}

export interface WebhookReceiver {
  /** Judges a message by its headers and its address, before its body is read. */
  admit(
    headers: WebhookRequest["headers"],
    query: Readonly<Record<string, unknown>>,
  ): WebhookAdmission | WebhookRefusal;
  /** Checks an admitted message and answers at once; the work follows the answer. */
  receive(admission: WebhookAdmission, request: WebhookRequest): WebhookAnswer;
  /** What is known without a message of a ref of a local repository; while too many wait, the next look finds it. */
  notice(url: string, ref: string): void;
  /** Settles when all accepted events are worked off. */
  idle(): Promise<void>;
}

export function createWebhookReceiver(needs: WebhookNeeds): WebhookReceiver {
  const learners = new LateLearners({
    applications: needs.applications,
    clock: needs.clock,
    signal: needs.signal,
    refresh: (apps, signal) => refreshApplications(apps, { ...needs, signal }),
  });
  const commits = new PushedCommits(needs);
  const queue = new PushQueue({
    name: "pushes",
    clock: needs.clock,
    run: (push) =>
      tracedFrom(undefined, { name: "push", facts: { provider: push.provider, ref: push.event.ref } }, () =>
        handlePush(push, { ...needs, learners, commits }),
      ),
    failed: (push, error) => {
      if (!needs.signal.aborted) needs.log.warn({ push, err: error }, "webhook failed");
    },
  });
  const pulls = new EventQueue<PullRequestEvent>({
    name: "pull requests",
    clock: needs.clock,
    run: (event) => tracedFrom(undefined, { name: "pull request" }, () => handlePullRequest(event, needs)),
    failed: (pull, error) => {
      if (!needs.signal.aborted) needs.log.warn({ pull, err: error }, "webhook failed");
    },
  });
  const images = new EventQueue<string>({
    name: "images",
    clock: needs.clock,
    run: (image) => refreshImages(needs.imageFollowers(image), needs),
    failed: (image, error) => {
      if (!needs.signal.aborted) needs.log.warn({ image, err: error }, "webhook failed");
    },
  });
  return {
    admit(headers, query) {
      const rules = needs.rules();
      const { type } = query;
      // GitHub's registry tells by GitHub's headers.
      if (typeof type !== "string" || type === "ghcr.io") return admitWebhook(headers, rules);
      const admission = admitRegistry({ type, headers, query }, needs.registrySecret);
      if (admission.kind === "refused") return admission;
      return { ...admission, kind: "admitted", maxBytes: Math.min(rules.maxBytes, maxUnprovenBytes) };
    },
    receive(admission, request) {
      const reading = readWebhook(admission, request);
      if (reading.kind === "refused") return { status: reading.status, message: reading.message };
      if (reading.kind === "ignored") return { status: 200, message: "" };
      const isQueued =
        reading.kind === "push"
          ? queue.add(reading)
          : reading.kind === "image"
            ? images.add(reading.image, reading.image)
            : pulls.add(JSON.stringify(reading.event), reading.event);
      if (!isQueued) return { status: 503, message: "too many webhook events are waiting" };
      if (reading.kind !== "push") needs.count(reading.provider, "");
      return { status: 200, message: "" };
    },
    notice: (url, ref) => {
      const touchedHead = !ref.startsWith("refs/tags/");
      const event = { urls: [url], ref, touchedHead, changedFiles: undefined };
      queue.add({ provider: local, event, isProven: false });
    },
    idle: async () => {
      await queue.idle();
      await pulls.idle();
      await images.idle();
      await learners.idle();
      await commits.idle();
    },
  };
}

/** No webhook: a repository of this machine that was looked at. */
const local = "local";

interface PushNeeds extends WebhookNeeds {
  readonly learners: LateLearners;
  readonly commits: PushedCommits;
}

async function handlePush(push: Push, needs: PushNeeds): Promise<void> {
  const { provider, event } = push;
  const applications = Array.from(needs.applications());
  const commit = provenCommit(push);
  if (commit !== undefined) {
    needs.commits.fetch(event, commit, applications);
    // It is under way before all are looked through, which for thousands takes a while.
    await ownTurn(needs.signal);
  }
  const affected = matchApplications(event, applications);
  const sets = matchSets(event, needs.applicationSets());
  for (const url of addressesOf(event, affected)) needs.forgetRevisions(url);
  const facts = { provider, urls: event.urls, ref: event.ref, changedFiles: event.changedFiles?.length };
  const concerned = { refresh: affected.first.length, learn: affected.rest.length, sets: sets.length };
  tellStep({ ...concerned, repository: withoutUserinfo(event.urls[0] ?? "") });
  needs.log.info({ ...facts, ...concerned }, "push received");
  const isFollowed = Object.values(concerned).some((number) => number > 0);
  if (provider !== local) needs.count(provider, isFollowed ? withoutUserinfo(event.urls[0] ?? "") : "");
  await refreshSets(sets, needs);
  // Where nobody says which files changed, those that read one are no more than the others: all learn of it.
  const nobodyFirst = { first: [], rest: [...affected.first, ...affected.rest] };
  const unsaid = async () =>
    provider === local || commit !== undefined
      ? lookedInto(event, { nobodyFirst, revision: commit }, needs)
      : nobodyFirst;
  const { asked, told } = whoLooks(event.changedFiles ? affected : await unsaid());
  await refreshApplications(asked, needs);
  needs.learners.follow(keyOf(event), { apps: told, asked, revision: event.revision });
}

/** As long as all others wait for the answer. */
const lookLimitMs = 2_000;

/** The files that changed are looked for in the repository; where they cannot be found, nobody is first. */
async function lookedInto(
  event: PushEvent,
  { nobodyFirst, revision }: { nobodyFirst: AffectedApplications; revision: string | undefined },
  { changedFiles, signal, log }: WebhookNeeds,
): Promise<AffectedApplications> {
  const all = nobodyFirst.rest;
  if (all.length < 2) return nobodyFirst;
  const one = all.find(({ spec, status }) => spec.source && status?.sync?.revision);
  if (!one) return nobodyFirst;
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(lookLimitMs)]);
    const files = await changedFiles(one, { revision }, limited);
    if (!files) return nobodyFirst;
    const { first } = matchApplications({ ...event, changedFiles: files }, all);
    const known = new Set(first);
    return { first, rest: all.filter((app) => !known.has(app)) };
  } catch (error) {
    signal.throwIfAborted();
    log.info({ ref: event.ref, err: error }, "which files a push has changed is not known: all look");
    return nobodyFirst;
  }
}

async function handlePullRequest(event: PullRequestEvent, needs: WebhookNeeds): Promise<void> {
  const sets = matchPullRequests(event, needs.applicationSets());
  needs.log.info({ ...event, sets: sets.length }, "pull request received");
  await refreshSets(sets, needs);
}

function addressesOf(event: PushEvent, affected: ReturnType<typeof matchApplications>): Set<string> {
  const isPushed = isPushedTo(event);
  const urls = new Set(event.urls);
  for (const { spec } of [...affected.first, ...affected.rest]) {
    const sources = [spec.source, ...(spec.sources ?? []), spec.sourceHydrator?.drySource];
    for (const source of sources) if (source && isPushed(source.repoURL)) urls.add(source.repoURL);
  }
  return urls;
}
