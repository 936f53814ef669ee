import type { Destination } from "@capstan/engine";
import type { Value as ExprValue } from "@capstan/expr";
import { once } from "@capstan/flow";
import type { Value as TemplateValue } from "@capstan/go-template";
import { expressionNames } from "./expression-names.ts";
import type { RepoFacts } from "./repo-facts.ts";
import { templateNames, unstructuredValue } from "./template-names.ts";

/** What triggers and templates speak of (util/notification/settings initGetVars). */
export interface NotificationSubject {
  /** The Application, as it is stored. */
  readonly app: object;
  /** Its project, where it stands in the application's namespace. */
  readonly appProject: object | undefined;
  readonly facts: RepoFacts;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Before each condition and each message: lets others have their turn where a tenant wrote what is played. */
  readonly pause?: (() => Promise<void>) | undefined;
}

/** What the configuration itself gives to them. */
export interface NotificationNames {
  readonly context: Readonly<Record<string, string>>;
  /** argocd-notifications-secret; undefined where tenants may write templates (self-service). */
  readonly secrets: Readonly<Record<string, string>> | undefined;
}

export interface Languages {
  readonly expr: typeof import("@capstan/expr");
  readonly templates: typeof import("@capstan/go-template");
}

/** Loaded when the first configuration has something to say. */
export const loadLanguages = once(async (): Promise<Languages> => {
  const [expr, templates] = await Promise.all([import("@capstan/expr"), import("@capstan/go-template")]);
  return { expr, templates };
});

const converted = new WeakMap<object, ExprValue>();

/** Objects of the cluster are never changed: what one is for expressions is found out once for all its triggers. */
function convertedOnce(expr: Languages["expr"], object: object): ExprValue {
  const known = converted.get(object);
  if (known !== undefined) return known;
  const value = expr.toValue(object);
  converted.set(object, value);
  return value;
}

/** For conditions: nobody is told yet. */
export function expressionVariables(
  { expr }: Languages,
  subject: NotificationSubject,
  { context, secrets }: NotificationNames,
): Readonly<Record<string, ExprValue>> {
  const bytes = (text: string): ExprValue => [...Buffer.from(text)].map(BigInt);
  return {
    app: convertedOnce(expr, subject.app),
    appProject: convertedOnce(expr, subject.appProject ?? {}),
    context: expr.toValue({ notificationType: "", ...context }),
    ...(secrets ? { secrets: expr.toValue(mapValues(secrets, bytes)) } : {}),
    ...expressionNames(expr, subject),
  };
}

export function templateVariables(
  { templates }: Languages,
  subject: NotificationSubject,
  { context, secrets, to }: NotificationNames & { readonly to: Destination },
): Readonly<Record<string, TemplateValue>> {
  const { GoInt, GoList, GoMap } = templates;
  const bytes = (text: string) =>
    new GoList(
      [...Buffer.from(text)].map((byte) => new GoInt(byte, "uint8")),
      "uint8",
    );
  const texts = { notificationType: to.service, ...context };
  return {
    app: unstructuredValue(templates, subject.app),
    appProject: unstructuredValue(templates, subject.appProject ?? {}),
    context: new GoMap(Object.entries(texts), "string"),
    ...(secrets ? { secrets: new GoMap(Object.entries(mapValues(secrets, bytes)), "[]uint8") } : {}),
    ...templateNames(templates, subject),
    serviceType: to.service,
    recipient: to.recipient,
  };
}

function mapValues<From, To>(of: Readonly<Record<string, From>>, map: (one: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(of).map(([name, one]) => [name, map(one)]));
}
