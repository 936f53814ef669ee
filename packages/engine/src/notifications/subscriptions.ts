import { compareBytes, isRecord, type Labels } from "@capstan/formats";
import { parseYaml } from "@capstan/model";
import type { Destination, GlobalSubscription } from "./notification-entry.ts";
import { readRecipient } from "./read-entry.ts";

/** Who is told when none of them says of what. */
export interface Defaults {
  readonly defaultTriggers: readonly string[];
  /** By service; they go before those of all. */
  readonly serviceDefaultTriggers: ReadonlyMap<string, readonly string[]>;
}

interface Subscribed {
  readonly labels: Labels | undefined;
  readonly annotations: Readonly<Record<string, string>> | undefined;
  /** Of the project, if it stands in the application's namespace. */
  readonly projectAnnotations: Readonly<Record<string, string>> | undefined;
}

type Destinations = ReadonlyMap<string, readonly Destination[]>;

const prefix = "notifications.argoproj.io/subscribe.";
/** Whatever follows. */
const listPrefix = "notifications.argoproj.io/subscriptions";
/** Of before Argo CD 2.0; only projects' still count (util/notification/settings/legacy.go GetLegacyDestinations). */
const legacySuffix = "recipients.argocd-notifications.argoproj.io";

/** Who is to be told about an application, by trigger and each once: triggers by name, so that the order is always one. */
export function destinationsOf(
  { labels = {}, annotations = {}, projectAnnotations = {} }: Subscribed,
  config: Defaults & { readonly subscriptions: readonly GlobalSubscription[] },
): Destinations {
  const found = [
    ...globalOnes(config.subscriptions, labels, config),
    ...annotatedOnes(annotations, config),
    ...annotatedOnes(projectAnnotations, config),
    ...legacyOnes(projectAnnotations, config),
  ];
  const byTrigger = Map.groupBy(found, ({ trigger }) => trigger);
  const sorted = [...byTrigger].sort(([one], [other]) => compareBytes(one, other));
  return new Map(sorted.map(([trigger, all]) => [trigger, onlyOnce(all.map(({ to }) => to))]));
}

interface Found {
  readonly trigger: string;
  readonly to: Destination;
}

function globalOnes(
  subscriptions: readonly GlobalSubscription[],
  labels: Labels,
  { defaultTriggers }: Defaults,
): Found[] {
  return subscriptions
    .filter(({ selects }) => selects(labels))
    .flatMap(({ triggers, recipients }) =>
      (triggers.length > 0 ? triggers : defaultTriggers).flatMap((trigger) =>
        recipients.map((to) => ({ trigger, to })),
      ),
    );
}

function annotatedOnes(annotations: Readonly<Record<string, string>>, defaults: Defaults): Found[] {
  return Object.keys(annotations)
    .sort(compareBytes)
    .flatMap((key) => {
      const text = annotations[key] ?? "";
      if (key.startsWith(prefix)) return ofAnnotation(key.slice(prefix.length), text);
      return key.startsWith(listPrefix) ? ofList(text) : [];
    })
    .flatMap(({ trigger, service, recipients }) =>
      triggersFor(trigger, service, defaults).flatMap((one) =>
        recipients.map((recipient) => ({ trigger: one, to: { service, recipient } })),
      ),
    );
}

interface Subscription {
  /** "": the default ones. */
  readonly trigger: string;
  readonly service: string;
  readonly recipients: readonly string[];
}

/** `<trigger>.<service>` or `<service>`: what stands behind a further dot is not read. */
function ofAnnotation(name: string, text: string): Subscription[] {
  const [first = "", second] = name.split(".");
  const recipients = text === "" ? [""] : recipientsIn(text, ";");
  return second === undefined
    ? [{ trigger: "", service: first, recipients }]
    : [{ trigger: first, service: second, recipients }];
}

/** A list of triggers with destinations as YAML; one that is none subscribes nobody. */
function ofList(text: string): Subscription[] {
  const list = readList(text);
  return list.flatMap(({ triggers, destinations }) =>
    (triggers.length > 0 ? triggers : [""]).flatMap((trigger) =>
      destinations.map(({ service, recipients }) => ({ trigger, service, recipients })),
    ),
  );
}

interface Listed {
  readonly triggers: readonly string[];
  readonly destinations: readonly { service: string; recipients: readonly string[] }[];
}

function readList(text: string): Listed[] {
  let read: unknown;
  try {
    read = parseYaml(text);
  } catch {
    // The annotation of a stranger: who writes it sees that nothing comes.
    return [];
  }
  const list = Array.isArray(read) ? read.filter(isRecord) : [];
  const isWhole = list.every(({ trigger, destinations }) => isTexts(trigger) && isDestinations(destinations));
  if (!isWhole) return [];
  return list.map(({ trigger, destinations }) => ({
    triggers: textsIn(trigger),
    destinations: (Array.isArray(destinations) ? destinations : []).map((one) => ({
      service: typeof one.service === "string" ? one.service : "",
      recipients: textsIn(one.recipients),
    })),
  }));
}

const isTexts = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.every((one) => typeof one === "string"));

const isDestinations = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.every((one) => isRecord(one) && isTexts(one.recipients)));

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

/** `[<trigger>.]recipients.argocd-notifications.argoproj.io: service:recipient, …` */
function legacyOnes(annotations: Readonly<Record<string, string>>, defaults: Defaults): Found[] {
  return Object.keys(annotations)
    .filter((key) => key.endsWith(legacySuffix))
    .sort(compareBytes)
    .flatMap((key) => {
      const named = key.slice(0, -legacySuffix.length).replace(/\.+$/, "");
      const triggers = named === "" ? defaults.defaultTriggers : [named];
      return recipientsIn(annotations[key] ?? "", ",").flatMap((text) => {
        const to = readRecipient(text);
        const used = defaults.serviceDefaultTriggers.get(to.service) ?? triggers;
        return used.map((trigger) => ({ trigger, to }));
      });
    });
}

function triggersFor(trigger: string, service: string, defaults: Defaults): readonly string[] {
  if (trigger !== "") return [trigger];
  return defaults.serviceDefaultTriggers.get(service) ?? defaults.defaultTriggers;
}

const recipientsIn = (text: string, separator: string): string[] =>
  text
    .split(separator)
    .map((one) => one.trim())
    .filter((one) => one !== "");

function onlyOnce(all: readonly Destination[]): Destination[] {
  const seen = new Map(all.map((one) => [JSON.stringify([one.service, one.recipient]), one]));
  return [...seen.values()];
}
