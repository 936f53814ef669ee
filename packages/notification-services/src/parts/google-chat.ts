import { object, optional, string } from "@capstan/model/shapes";
import { definePart, layTexts } from "../template/part.ts";

export const googleChatPart = definePart({
  key: "googlechat",
  schema: object({ cards: optional(string()), cardsV2: optional(string()), threadKey: optional(string()) }),
  compile: (given, textOf) => layTexts(given, ["cards", "cardsV2", "threadKey"], textOf),
});
