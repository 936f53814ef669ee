import { list, map, object, optional, string } from "@capstan/model/shapes";
import { definePart, listTexts, mapTexts, replaceTexts } from "../template/part.ts";

const names = ["description", "priority", "alias", "note", "entity", "user"] as const;
const ofResponders = ["type", "id", "name", "username"] as const;

export const opsgeniePart = definePart({
  key: "opsgenie",
  schema: object({
    description: optional(string()),
    priority: optional(string()),
    alias: optional(string()),
    note: optional(string()),
    entity: optional(string()),
    user: optional(string()),
    actions: optional(list(string())),
    tags: optional(list(string())),
    details: optional(map(string())),
    visibleTo: optional(
      list(
        object({
          type: optional(string()),
          id: optional(string()),
          name: optional(string()),
          username: optional(string()),
        }),
      ),
    ),
  }),
  compile(given, textOf) {
    const texts = replaceTexts(given, names, textOf);
    const actions = given.actions && listTexts(given.actions, textOf);
    const tags = given.tags && listTexts(given.tags, textOf);
    const details = given.details && mapTexts(given.details, textOf);
    const visibleTo = given.visibleTo?.map((responder) => replaceTexts(responder, ofResponders, textOf));
    return (vars, earlier) => ({
      ...earlier,
      ...texts(vars),
      ...(actions && { actions: actions(vars) }),
      ...(tags && { tags: tags(vars) }),
      ...(details && { details: details(vars) }),
      ...(visibleTo && { visibleTo: visibleTo.map((print) => print(vars)) }),
    });
  },
});
