import type { Destination } from "./notification-entry.ts";
import { type ConditionResult, type NotifiedState, notifiedKey } from "./notified-state.ts";

/** One message to one recipient. */
export interface PlannedDelivery {
  readonly trigger: string;
  readonly templates: readonly string[];
  readonly to: Destination;
  /** Under which it is remembered. */
  readonly key: string;
}

export interface NotificationPlan {
  readonly deliveries: readonly PlannedDelivery[];
  /** What is to be forgotten: their conditions hold no longer. */
  readonly forgotten: readonly string[];
}

interface Judged {
  readonly trigger: string;
  readonly results: readonly ConditionResult[];
  readonly destinations: readonly Destination[];
  readonly state: NotifiedState;
  /** Only of an application namespace's own configuration. */
  readonly configNamespace?: string | undefined;
}

/** What one trigger asks for (notifications-engine pkg/controller processResourceWithAPI). */
export function planNotifications({
  trigger,
  results,
  destinations,
  state,
  configNamespace,
}: Judged): NotificationPlan {
  const deliveries: PlannedDelivery[] = [];
  const forgotten: string[] = [];
  for (const result of results)
    for (const to of destinations) {
      const key = notifiedKey({ configNamespace, trigger, result, to });
      const isKnown = state.has(key);
      if (result.holds && !isKnown) deliveries.push({ trigger, templates: result.templates, to, key });
      // What is told once for a revision stays told.
      else if (!result.holds && isKnown && result.oncePer === "") forgotten.push(key);
    }
  return { deliveries, forgotten };
}
