import { CapstanError } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import { readWanted } from "./check-application-set.ts";
import type { ApplicationSetNeeds } from "./find-application-set.ts";

/** Asked for rights and looked through as for a creation; then said. */
export function generateApplicationSet(context: ApplicationSetNeeds): HandlerOf<"generateApplicationSet"> {
  return async ({ applicationSet }, { user }) => {
    const { metadata } = readWanted(context, applicationSet, user);
    const what = `making the Applications of ApplicationSet ${metadata.name}: sets are kept and shown, and no generator is worked on yet; it`;
    throw new CapstanError({ code: "UNIMPLEMENTED", what });
  };
}
