import { map, object, optional, string } from "@capstan/model/shapes";
import { definePart, mapTexts } from "../template/part.ts";

export const awsSqsPart = definePart({
  key: "awssqs",
  schema: object({ messageAttributes: optional(map(string())), messageGroupId: optional(string()) }),
  compile(given, textOf) {
    const attributes = given.messageAttributes && mapTexts(given.messageAttributes, textOf);
    const group = textOf(given.messageGroupId);
    return (vars, earlier) => ({
      messageAttributes: attributes?.(vars) ?? earlier?.messageAttributes ?? {},
      messageGroupId: group(vars) || (earlier?.messageGroupId ?? ""),
    });
  },
});

export const gcpPubsubPart = definePart({
  key: "gcppubsub",
  schema: object({ attributes: optional(map(string())) }),
  compile(given, textOf) {
    const attributes = given.attributes && mapTexts(given.attributes, textOf);
    return (vars, earlier) => ({ attributes: attributes?.(vars) ?? earlier?.attributes ?? {} });
  },
});
