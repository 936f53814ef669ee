import {
  type GlobalSubscription,
  type NotificationCondition,
  type NotificationEntry,
  readEntry,
} from "@capstan/engine";
import { once } from "@capstan/flow";
import { compareBytes, equalJson } from "@capstan/formats";
import type { NotificationTexts } from "@capstan/kube";
import { messageOf } from "@capstan/model";
import type {
  KeepThread,
  NotificationService,
  NotificationTemplate,
  ServiceMemory,
  ServiceRequest,
  SlackThread,
} from "@capstan/notification-services";
import { loadLanguages, type NotificationNames } from "./notification-variables.ts";
import { type CompiledTrigger, compileTrigger } from "./run-trigger.ts";

type Texts = Readonly<Record<string, string>>;

/** What services need beside their entry. */
export type ServiceSurroundings = Omit<ServiceRequest, "type" | "name" | "config">;

interface ReadingInput {
  /** Of before: what can no longer be read stays as it was. */
  readonly previous?: NotificationSetup | undefined;
  readonly services: ServiceSurroundings;
  /** Templates may speak of the Secret. */
  readonly tellsSecrets: boolean;
}

/** A configuration of notifications, ready to be used. */
export interface NotificationSetup extends NotificationNames {
  readonly services: ReadonlyMap<string, NotificationService>;
  readonly triggers: ReadonlyMap<string, CompiledTrigger>;
  readonly templates: ReadonlyMap<string, NotificationTemplate & { readonly given: object }>;
  readonly subscriptions: readonly GlobalSubscription[];
  readonly defaultTriggers: readonly string[];
  readonly serviceDefaultTriggers: ReadonlyMap<string, readonly string[]>;
  /** `key: what is wrong`; none of them holds anything secret. */
  readonly problems: readonly string[];
  readonly entries: ReadonlyMap<string, KeptEntry>;
  readonly texts: NotificationTexts;
}

/** One key, compiled. */
type Compiled =
  | { readonly kind: "service"; readonly name: string; readonly service: NotificationService }
  | { readonly kind: "trigger"; readonly name: string; readonly trigger: CompiledTrigger }
  | {
      readonly kind: "template";
      readonly name: string;
      readonly template: NotificationTemplate & { readonly given: object };
    }
  | Extract<NotificationEntry, { kind: "subscriptions" | "defaultTriggers" | "context" }>;

interface KeptEntry {
  readonly text: string;
  readonly compiled: Compiled;
  readonly problems: readonly string[];
}

/** Of one text of a template. */
const templateLimits = { steps: 200_000, size: 2 ** 20 };
/** Keys of before Argo CD 2.0 (util/notification/settings/legacy.go). */
const legacyKeys: Readonly<Record<string, string>> = {
  "config.yaml":
    "is not honoured: write its triggers, templates, context and subscriptions as keys of their own",
};
const legacySecret =
  "notifiers.yaml of argocd-notifications-secret is not honoured: write its services as service.<type> keys";

export async function readNotifications(
  texts: NotificationTexts,
  { previous, services, tellsSecrets }: ReadingInput,
): Promise<NotificationSetup> {
  const compiler = once(() => openCompiler(services));
  const isKnown = previous !== undefined && equalJson(previous.texts.secrets, texts.secrets);
  const entries = new Map<string, KeptEntry>();
  const problems: string[] = [];
  for (const key of Object.keys(texts.map).sort(compareBytes)) {
    const text = texts.map[key] ?? "";
    const before = previous?.entries.get(key);
    if (isKnown && before?.text === text) {
      entries.set(key, before);
      problems.push(...before.problems);
      continue;
    }
    try {
      const entry = readEntry(key, text, texts.secrets);
      const compiled = entry && (await compiler())(entry);
      if (!compiled) {
        problems.push(`${key}: ${legacyKeys[key] ?? "is no setting of notifications"}`);
        continue;
      }
      const kept = {
        text,
        compiled: compiled.compiled,
        problems: compiled.problems.map((one) => `${key}: ${one}`),
      };
      entries.set(key, kept);
      problems.push(...kept.problems);
    } catch (error) {
      const kept = before && isKnownGood(before) ? { ...before, text: "" } : undefined;
      if (kept) entries.set(key, kept);
      const rest = kept ? "; what it said before stays in force" : "";
      problems.push(`${key}: ${withoutKey(messageOf(error), key)}${rest}`);
    }
  }
  if (Object.hasOwn(texts.secrets, "notifiers.yaml")) problems.push(legacySecret);
  const secrets = tellsSecrets ? texts.secrets : undefined;
  return { ...sorted(entries, problems), problems, entries, texts, secrets };
}

const isKnownGood = ({ compiled }: KeptEntry): boolean => compiled !== undefined;

const withoutKey = (message: string, key: string): string =>
  message.startsWith(`${key}: `) ? message.slice(key.length + 2) : message;

/** What services remember from message to message, for those that are made anew with their entries. */
export async function openServiceMemory(
  known?: Iterable<readonly [string, SlackThread]>,
  keep?: KeepThread,
): Promise<ServiceMemory> {
  const { ServiceMemory: Memory } = await import("@capstan/notification-services");
  return new Memory(known, keep);
}

/** Loads the languages and the services, which take long: whoever configures no notifications waits for neither. */
async function openCompiler(services: ServiceSurroundings) {
  const [languages, library] = await Promise.all([loadLanguages(), import("@capstan/notification-services")]);
  const { GoTemplate, sprig } = languages.templates;
  const compileText = (text: string, name: string) => {
    const template = new GoTemplate(text, { functions: sprig, name });
    return (vars: Readonly<Record<string, unknown>>) =>
      template.execute(vars, { ...templateLimits, nowMs: () => services.clock.now() });
  };
  return (entry: NotificationEntry): { compiled: Compiled; problems: readonly string[] } => {
    if (entry.kind === "service") {
      const { type, name, config, lacking } = entry.setting;
      const service = library.createService({ ...services, type, name, config });
      const missing = lacking.map((one) => `${one} is no key of argocd-notifications-secret`);
      return { compiled: { kind: "service", name, service }, problems: [...missing, ...service.warnings] };
    }
    if (entry.kind === "trigger") {
      const trigger = compileTrigger(languages, entry.conditions);
      return { compiled: { kind: "trigger", name: entry.name, trigger }, problems: [] };
    }
    if (entry.kind === "template") {
      const { name, template: given } = entry;
      const template = library.compileTemplate({ name, template: given, compile: compileText });
      return {
        compiled: { kind: "template", name, template: { ...template, given } },
        problems: template.warnings,
      };
    }
    return { compiled: entry, problems: [] };
  };
}

type Sorted = Pick<
  NotificationSetup,
  | "services"
  | "triggers"
  | "templates"
  | "subscriptions"
  | "defaultTriggers"
  | "serviceDefaultTriggers"
  | "context"
>;

function sorted(entries: ReadonlyMap<string, KeptEntry>, problems: string[]): Sorted {
  const services = new Map<string, NotificationService>();
  const triggers = new Map<string, CompiledTrigger>();
  const templates = new Map<string, NotificationTemplate & { readonly given: object }>();
  const serviceDefaultTriggers = new Map<string, readonly string[]>();
  let subscriptions: readonly GlobalSubscription[] = [];
  let defaultTriggers: readonly string[] = [];
  let context: Texts = {};
  for (const [key, { compiled }] of entries) {
    if (compiled.kind === "service") {
      if (services.has(compiled.name)) problems.push(`${key}: another service has the name ${compiled.name}`);
      else services.set(compiled.name, compiled.service);
    } else if (compiled.kind === "trigger") triggers.set(compiled.name, compiled.trigger);
    else if (compiled.kind === "template") templates.set(compiled.name, compiled.template);
    else if (compiled.kind === "subscriptions") subscriptions = compiled.subscriptions;
    else if (compiled.kind === "context") context = compiled.context;
    else if (compiled.service === undefined) defaultTriggers = compiled.triggers;
    else serviceDefaultTriggers.set(compiled.service, compiled.triggers);
  }
  return { services, triggers, templates, subscriptions, defaultTriggers, serviceDefaultTriggers, context };
}

export function conditionsOf({ conditions }: CompiledTrigger): NotificationCondition[] {
  return conditions.map(({ condition }) => condition);
}
