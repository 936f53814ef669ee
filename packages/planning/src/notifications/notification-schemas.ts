import { once } from "@capstan/flow";
import { jsonSchema } from "@capstan/model";
import { list, map, object, optional, type Schema, string } from "@capstan/model/shapes";

type Schemas = Readonly<Record<string, object>>;

const texts = list(string());
/** Of what `readEntry` reads (engine), which takes numbers and booleans for texts too. */
const own: Readonly<Record<string, Schema<unknown>>> = {
  context: map(string()),
  defaultTriggers: texts,
  "defaultTriggers.": texts,
  subscriptions: list(
    object({
      recipients: texts,
      triggers: optional(texts),
      selector: optional(string({ description: "Labels of the applications: team=shop,env!=test" })),
    }),
  ),
  "trigger.": list(
    object({
      when: string({ description: "An expression: app.status.sync.status == 'OutOfSync'" }),
      send: list(string(), { description: "Names of templates" }),
      oncePer: optional(string({ description: "Once for each value of this expression" })),
      description: optional(string()),
    }),
  ),
};

/**
 * What the keys of argocd-notifications-cm may say, for an editor. By the key; one with a dot at its end is the
 * beginning of some, as services are known by their type. Made once, of the shapes by which they are read.
 */
export const notificationSchemas: () => Promise<Schemas> = once(async () => {
  const { serviceShapes, templateShape } = await import("@capstan/notification-services");
  const services = Object.entries(serviceShapes).map(([type, shape]) => [`service.${type}`, shape] as const);
  const all = [
    ...Object.entries(own).map(([key, { shape }]) => [key, shape] as const),
    ["template.", templateShape] as const,
    ...services,
  ];
  return Object.fromEntries(all.map(([key, shape]) => [key, jsonSchema(shape, { title: key })]));
});
