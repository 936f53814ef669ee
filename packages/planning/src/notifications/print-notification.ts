import type { Destination } from "@capstan/engine";
import type { Notification } from "@capstan/notification-services";
import {
  expressionVariables,
  loadLanguages,
  type NotificationSubject,
  templateVariables,
} from "./notification-variables.ts";
import type { NotificationSetup } from "./read-notifications.ts";
import { runTrigger, type TriggerRun } from "./run-trigger.ts";

interface Asked {
  readonly subject: NotificationSubject;
  readonly signal: AbortSignal;
}

/** What a trigger comes to for an application. Rejects where there is none of that name. */
export async function evaluateTrigger(
  setup: NotificationSetup,
  name: string,
  { subject, signal }: Asked,
): Promise<TriggerRun> {
  const trigger = setup.triggers.get(name);
  if (!trigger) throw new Error(`trigger '${name}' is not configured`);
  const { facts, nowMs, pause } = subject;
  const languages = await loadLanguages();
  const variables = expressionVariables(languages, subject, setup);
  return runTrigger(languages, trigger, { variables, facts, nowMs, pause, signal });
}

/** What templates say to one recipient, one over the other. */
export async function printNotification(
  setup: NotificationSetup,
  { templates, to }: { readonly templates: readonly string[]; readonly to: Destination },
  { subject, signal }: Asked,
): Promise<Notification> {
  const used = templates.map((name) => {
    const template = setup.templates.get(name);
    if (!template) throw new Error(`template '${name}' is not supported`);
    return template;
  });
  await subject.pause?.();
  const languages = await loadLanguages();
  return await subject.facts.played(() => {
    const vars = templateVariables(languages, subject, { ...setup, to });
    return used.reduce<Notification>((printed, template) => template.format(vars, printed), {});
  }, signal);
}
