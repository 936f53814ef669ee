import { string } from "@capstan/model/shapes";
import { definePart } from "../template/part.ts";

/** One that prints nothing leaves an earlier one (services.go getTemplater). */
export const messagePart = definePart({
  key: "message",
  schema: string(),
  compile(given, textOf) {
    const print = textOf(given);
    return (vars, earlier) => print(vars) || (earlier ?? "");
  },
});
