import { CapstanError } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import { changeProjectTokens } from "./change-project-tokens.ts";
import type { ProjectNeeds } from "./project-handlers.ts";

/** By id where one is given, else by the second in which the token was made. One that is not there is no error. */
export function deleteProjectToken(context: ProjectNeeds): HandlerOf<"deleteProjectToken"> {
  return async ({ project, role, iat: text, id = "" }, call) => {
    const iat = Number(text);
    if (!Number.isSafeInteger(iat))
      throw new CapstanError({
        code: "INVALID_ARGUMENT",
        field: "iat",
        problem: `"${text}" is not a time in seconds since 1970`,
      });
    await changeProjectTokens(
      context,
      {
        role: { project, role },
        change(tokens) {
          const found = tokens.find((one) => (id === "" ? one.iat === iat : one.id === id));
          return found && tokens.filter((one) => one !== found);
        },
      },
      call,
    );
    return {};
  };
}
