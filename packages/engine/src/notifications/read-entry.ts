import { isRecord, parseLabelSelector } from "@capstan/formats";
import { parseYaml } from "@capstan/model";
import type {
  Destination,
  GlobalSubscription,
  NotificationCondition,
  NotificationEntry,
  ServiceSetting,
} from "./notification-entry.ts";

type Texts = Readonly<Record<string, string>>;

/**
 * One key of argocd-notifications-cm (notifications-engine pkg/api ParseConfig). undefined: it is none that counts.
 * Throws an Error that says what is wrong, and in which line.
 */
export function readEntry(key: string, text: string, secrets: Texts): NotificationEntry | undefined {
  const [first = "", ...rest] = key.split(".");
  const name = rest.join(".");
  if (first === "service" && rest.length > 0) return readService(key, text, secrets);
  const read = (): unknown => parseYaml(text, { file: key });
  if (first === "trigger" && rest.length > 0)
    return { kind: "trigger", name, conditions: listOf(read(), "conditions").map(readCondition) };
  if (first === "template" && rest.length > 0) return { kind: "template", name, template: mapOf(read()) };
  if (first === "defaultTriggers")
    return {
      kind: "defaultTriggers",
      service: rest.length > 0 ? name : undefined,
      triggers: textsOf(read(), "names of triggers"),
    };
  if (key === "subscriptions")
    return { kind: "subscriptions", subscriptions: listOf(read(), "subscriptions").map(readSubscription) };
  if (key === "context") return { kind: "context", context: textMapOf(read()) };
  return undefined;
}

function readService(key: string, text: string, secrets: Texts): NotificationEntry {
  const [, type = "", name = type, ...more] = key.split(".");
  if (type === "" || more.length > 0)
    throw new Error(`a service's key is service.<type> or service.<type>.<name>, not ${key}`);
  const lacking = new Set<string>();
  const config = withSecrets(parseYaml(text, { file: key }) ?? {}, (reference) => {
    const found = Object.hasOwn(secrets, reference.slice(1)) ? secrets[reference.slice(1)] : undefined;
    if (found === undefined) lacking.add(reference);
    return found ?? reference;
  });
  const setting: ServiceSetting = { type, name, config, lacking: [...lacking] };
  return { kind: "service", setting };
}

/** Every text of the value, names of fields too, with what `$name` stands for. */
function withSecrets(value: unknown, secretOf: (reference: string) => string): unknown {
  const fill = (text: string): string => text.replace(/\$[\w-]+/g, secretOf);
  if (typeof value === "string") return fill(value);
  if (Array.isArray(value)) return value.map((one) => withSecrets(one, secretOf));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, one]) => [fill(field), withSecrets(one, secretOf)]),
  );
}

function readCondition(value: unknown, index: number): NotificationCondition {
  const at = `condition ${index + 1}`;
  const { when, oncePer, description, send } = mapOf(value, at);
  return {
    when: textOf(when, `${at}: when`),
    oncePer: textOf(oncePer, `${at}: oncePer`),
    description: textOf(description, `${at}: description`),
    send: textsOf(send, `names of templates in ${at}: send`),
  };
}

function readSubscription(value: unknown, index: number): GlobalSubscription {
  const at = `subscription ${index + 1}`;
  const { recipients, triggers, selector } = mapOf(value, at);
  return {
    recipients: textsOf(recipients, `recipients in ${at}`).map(readRecipient),
    triggers: textsOf(triggers, `names of triggers in ${at}`),
    selects: parseLabelSelector(textOf(selector, `${at}: selector`)),
  };
}

/** `service:recipient`; what follows a second colon is dropped, as it is there (pkg/api GetGlobalDestinations). */
export function readRecipient(text: string): Destination {
  const [service = "", recipient = ""] = text.split(":");
  return { service, recipient };
}

function textOf(value: unknown, what: string): string {
  if (value === undefined || value === null) return "";
  const text = scalarText(value);
  if (text !== undefined) return text;
  throw new Error(`${what} is no text`);
}

/** Numbers and booleans where a text is wanted are texts (sigs.k8s.io/yaml). */
function scalarText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "bigint" || typeof value === "boolean"
    ? String(value)
    : undefined;
}

function listOf(value: unknown, what: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw new Error(`it is no list of ${what}`);
}

function textsOf(value: unknown, what: string): string[] {
  return listOf(value, what).map((one) => {
    const text = scalarText(one);
    if (text !== undefined) return text;
    throw new Error(`it is no list of ${what}: ${JSON.stringify(one)} is no text`);
  });
}

function mapOf(value: unknown, what = "it"): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (isRecord(value)) return value;
  throw new Error(`${what} is no map`);
}

function textMapOf(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(mapOf(value)).map(([name, one]) => [name, textOf(one, name)]));
}
