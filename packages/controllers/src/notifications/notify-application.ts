import {
  type Destination,
  destinationsOf,
  isStatusCurrent,
  notifiedAnnotation,
  type PlannedDelivery,
  planNotifications,
  printNotified,
  readNotified,
} from "@capstan/engine";
import { tracedFrom } from "@capstan/flow";
import { isNotFound } from "@capstan/kube";
import { type Manifest, messageOf } from "@capstan/model";
import {
  evaluateTrigger,
  type NotificationSetup,
  type NotificationSubject,
  printNotification,
  RepoFacts,
} from "@capstan/planning";
import { type DeliveryDesk, NoPlaceError } from "./delivery-desk.ts";
import type { DeliveryMemory } from "./delivery-memory.ts";
import type { NotificationMetrics } from "./notification-metrics.ts";
import {
  findApplication,
  isNotifiedNamespace,
  type NotificationNeeds,
  projectBeside,
} from "./notification-needs.ts";
import { repoFactSource } from "./repo-fact-source.ts";

/** A configuration that counts for an application. */
export interface AppliedSetup {
  readonly setup: NotificationSetup;
  /** The application's own namespace, where its configuration is meant; undefined: the operator's. */
  readonly namespace: string | undefined;
}

export interface Look {
  readonly needs: NotificationNeeds;
  readonly metrics: NotificationMetrics;
  readonly desk: DeliveryDesk;
  readonly memory: DeliveryMemory;
  readonly setups: readonly AppliedSetup[];
  /** Looks at the application again. */
  readonly again: () => void;
  /** Says a thing once, until something else is to be said of the same. */
  readonly say: (about: string, problem: string | undefined) => void;
}

/** Conditions that speak of the time are looked at as often as there (notification_controller resyncPeriod). */
const repeatMs = 60_000;

/**
 * Writes what was sent, evaluates the triggers that somebody has subscribed to, and begins what has to be sent. What
 * is sent is written as soon as it is, and no key is sent while it is under way: a process that is killed in between
 * repeats at most that one message. False: there is no such application.
 */
export async function notifyApplication(look: Look, key: string, signal: AbortSignal): Promise<boolean> {
  const { needs, memory } = look;
  const app = findApplication(needs, key);
  if (!app) return false;
  const { namespace = "", annotations = {} } = app.metadata;
  const state = new Map(readNotified(annotations[notifiedAnnotation]));
  const written = [...memory.sent];
  for (const [sent, at] of written) state.set(sent, at);
  memory.lookAt = undefined;
  const isMeant = isNotifiedNamespace(needs, namespace) && isStatusCurrent(app.status);
  const isSubscribed = isMeant && (await evaluate(look, { app, key, state, signal }));
  if (isSubscribed || written.length > 0) await write(look, { app, state, signal });
  for (const [sent] of written) memory.wrote(sent);
  return true;
}

interface Looked {
  readonly app: Manifest;
  readonly key: string;
  readonly state: Map<string, number>;
  readonly signal: AbortSignal;
}

/** Whether anybody has subscribed to anything. */
async function evaluate(look: Look, looked: Looked): Promise<boolean> {
  const { needs, memory, setups } = look;
  const { app, state } = looked;
  const project = projectBeside(needs, app);
  const common: NotificationSubject = {
    app,
    appProject: project,
    facts: new RepoFacts(repoFactSource(needs, app)),
    nowMs: () => needs.clock.now(),
  };
  const asked = new Set<string>();
  let isSubscribed = false;
  for (const applied of setups) {
    const pause = () => needs.clock.sleep(0, looked.signal);
    const subject = applied.namespace === undefined ? common : { ...common, pause };
    const destinations = destinationsOf(
      {
        labels: app.metadata.labels,
        annotations: app.metadata.annotations,
        projectAnnotations: project?.metadata.annotations,
      },
      applied.setup,
    );
    isSubscribed ||= destinations.size > 0;
    for (const [trigger, recipients] of destinations) {
      const plan = await judge(look, { ...looked, subject, applied, trigger, recipients });
      for (const forgotten of plan?.forgotten ?? []) state.delete(forgotten);
      for (const delivery of plan?.deliveries ?? []) {
        asked.add(delivery.key);
        if (memory.mayStart(delivery.key, needs.clock.now()))
          begin(look, { delivery, subject, applied, key: looked.key });
      }
    }
  }
  memory.keepFailed(asked);
  return isSubscribed;
}

interface Judged extends Looked {
  readonly subject: NotificationSubject;
  readonly applied: AppliedSetup;
  readonly trigger: string;
  readonly recipients: readonly Destination[];
}

async function judge(look: Look, judged: Judged) {
  const { needs, metrics, memory, say } = look;
  const { applied, trigger, recipients, subject, state, signal, key } = judged;
  const { setup, namespace } = applied;
  const about = `${key} ${namespace ?? ""} ${trigger}`;
  const compiled = setup.triggers.get(trigger);
  if (!compiled) {
    say(about, `trigger ${trigger} is subscribed to and not configured`);
    return undefined;
  }
  if (compiled.dependsOnTime) memory.lookAt = needs.clock.now() + repeatMs;
  const { results, problems } = await evaluateTrigger(setup, trigger, { subject, signal });
  say(about, problems.length > 0 ? `trigger ${trigger}: ${problems.join("; ")}` : undefined);
  for (const { holds } of results) metrics.evaluated(trigger, holds);
  return planNotifications({ trigger, results, destinations: recipients, state, configNamespace: namespace });
}

interface Begun {
  readonly delivery: PlannedDelivery;
  readonly subject: NotificationSubject;
  readonly applied: AppliedSetup;
  readonly key: string;
}

/** Sends in the background; what comes of it is taken up by the next look. */
function begin(look: Look, begun: Begun): void {
  const { memory, again } = look;
  const { key, to, trigger } = begun.delivery;
  const { namespace } = begun.applied;
  const lane = namespace === undefined ? `service ${to.service}` : `of ${namespace}`;
  const deliver = () =>
    look.desk.deliver(lane, async (signal) => {
      const facts = { trigger, service: to.service };
      await tracedFrom(undefined, { name: "notify", facts }, () => send(begun, signal));
      succeeded(look, begun);
      again();
      // It keeps its place until then: no more than that are sent and not written.
      await memory.written(key, signal);
    });
  void memory
    .begin(key, { recipient: JSON.stringify([namespace, to.service, to.recipient]), send: deliver })
    .catch((error: unknown) => failed(look, begun, error))
    .finally(() => {
      memory.ended(key);
      again();
    });
}

async function send({ delivery, subject, applied }: Begun, signal: AbortSignal): Promise<void> {
  const { templates, to } = delivery;
  const service = applied.setup.services.get(to.service);
  if (!service) throw new Error(`notification service '${to.service}' is not supported`);
  const notification = await printNotification(applied.setup, { templates, to }, { subject, signal });
  await service.send(notification, to.recipient, { signal });
}

function succeeded({ needs, memory, metrics }: Look, { delivery, key }: Begun): void {
  const { trigger, to } = delivery;
  memory.succeeded(delivery.key, needs.clock.now());
  metrics.delivered(trigger, to.service, true);
  needs.log.info({ application: key, trigger, service: to.service }, "a notification was sent");
}

function failed({ needs, memory, metrics }: Look, { delivery, key, applied }: Begun, error: unknown): void {
  const { trigger, to } = delivery;
  // It was sent; only what is to be written has not come about yet.
  if (memory.sent.has(delivery.key)) return;
  if (error instanceof NoPlaceError) {
    memory.postponed(delivery.key, needs.clock.now());
    return;
  }
  const problem = messageOf(error);
  // It would fail in the same way each time (services.HandleSendError).
  if (isFinal(error)) memory.succeeded(delivery.key, needs.clock.now());
  else metrics.delivered(trigger, to.service, false);
  if (isFinal(error) || memory.failed(delivery.key, problem, needs.clock.now()))
    needs.log.warn(
      { application: key, trigger, service: to.service, ...whereOf(applied), problem },
      "a notification was not sent",
    );
}

/** Only of a tenant's configuration. */
const whereOf = ({ namespace }: AppliedSetup) => (namespace === undefined ? {} : { configuredIn: namespace });

function isFinal(error: unknown): boolean {
  return error instanceof Error && "mayRetry" in error && error.mayRetry === false;
}

/** Only what is newer than what the application says. */
async function write({ needs }: Look, { app, state, signal }: Omit<Looked, "key">): Promise<void> {
  const text = printNotified(state);
  const { name = "", namespace = "", annotations = {} } = app.metadata;
  if (text === annotations[notifiedAnnotation]) return;
  const body = { metadata: { annotations: { [notifiedAnnotation]: text ?? null } } };
  try {
    const { apiVersion, kind } = app;
    const ref = { apiVersion, kind, namespace, name };
    needs.live.observe(await needs.client.patch(ref, { type: "merge", body }, { signal }));
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
