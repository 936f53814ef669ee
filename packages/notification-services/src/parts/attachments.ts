import { object, optional, string } from "@capstan/model/shapes";
import { definePart, replaceTexts } from "../template/part.ts";

const schema = object({ attachments: optional(string()) });

export const mattermostPart = definePart({
  key: "mattermost",
  schema,
  compile: (given, textOf) => replaceTexts(given, ["attachments"], textOf),
});

export const rocketChatPart = definePart({
  key: "rocketchat",
  schema,
  compile: (given, textOf) => replaceTexts(given, ["attachments"], textOf),
});
