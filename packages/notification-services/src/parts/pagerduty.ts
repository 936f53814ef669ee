import { object, optional, string } from "@capstan/model/shapes";
import { definePart, replaceTexts } from "../template/part.ts";

export const pagerDutyPart = definePart({
  key: "pagerduty",
  schema: object({
    title: optional(string()),
    body: optional(string()),
    urgency: optional(string()),
    priorityId: optional(string()),
  }),
  compile: (given, textOf) => replaceTexts(given, ["title", "body", "urgency", "priorityId"], textOf),
});

const ofEvents = ["summary", "severity", "source", "component", "group", "class", "url", "dedupKey"] as const;

export const pagerDutyV2Part = definePart({
  key: "pagerdutyv2",
  schema: object({
    summary: optional(string()),
    severity: optional(string()),
    source: optional(string()),
    component: optional(string()),
    group: optional(string()),
    class: optional(string()),
    url: optional(string()),
    dedupKey: optional(string()),
  }),
  compile: (given, textOf) => replaceTexts(given, ofEvents, textOf),
});
