import { map, object, optional, string } from "@capstan/model/shapes";
import type { WebhookPart } from "../notification.ts";
import { definePart, replaceTexts } from "../template/part.ts";

export const webhookPart = definePart({
  key: "webhook",
  schema: map(object({ method: optional(string()), body: optional(string()), path: optional(string()) })),
  compile(given, textOf) {
    const compiled = Object.entries(given).map(([name, { method = "", body, path }]) => {
      const texts = replaceTexts({ body, path }, ["body", "path"], textOf);
      return { name, method, texts };
    });
    return (vars, earlier) => {
      const printed: Record<string, WebhookPart> = { ...earlier };
      for (const { name, method, texts } of compiled) printed[name] = { method, ...texts(vars) };
      return printed;
    };
  },
});
