import { object, optional, string } from "@capstan/model/shapes";
import { definePart, layTexts } from "../template/part.ts";

const names = [
  "template",
  "title",
  "summary",
  "text",
  "themeColor",
  "facts",
  "sections",
  "potentialAction",
] as const;
const fields = {
  template: optional(string()),
  title: optional(string()),
  summary: optional(string()),
  text: optional(string()),
  themeColor: optional(string()),
  facts: optional(string()),
  sections: optional(string()),
  potentialAction: optional(string()),
};

export const teamsPart = definePart({
  key: "teams",
  schema: object(fields),
  compile: (given, textOf) => layTexts(given, names, textOf),
});

export const teamsWorkflowsPart = definePart({
  key: "teams-workflows",
  schema: object({ ...fields, adaptiveCard: optional(string()) }),
  // The engine reads both and sends nothing of them.
  warn: ({ template, summary }) => [
    ...(template ? ["template has no effect: write the card as adaptiveCard, which is sent as it is"] : []),
    ...(summary ? ["summary has no effect: a card has none"] : []),
  ],
  compile: (given, textOf) => layTexts(given, [...names, "adaptiveCard"], textOf),
});
