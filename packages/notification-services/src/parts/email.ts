import { object, optional, string } from "@capstan/model/shapes";
import { definePart, layTexts } from "../template/part.ts";

export const emailPart = definePart({
  key: "email",
  schema: object({ subject: optional(string()), body: optional(string()) }),
  compile: (given, textOf) => layTexts(given, ["subject", "body"], textOf),
});
