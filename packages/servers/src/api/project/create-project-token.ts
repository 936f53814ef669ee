import { randomUUID } from "node:crypto";
import { CapstanError } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import { projectSubject } from "../session/project-role.ts";
import { lifeOf, type Tokens } from "../session/tokens.ts";
import { changeProjectTokens } from "./change-project-tokens.ts";
import type { ProjectNeeds } from "./project-handlers.ts";

/** A token that acts as a role of one project, and counts as long as the project lists its id. */
export function createProjectToken(
  context: ProjectNeeds & { tokens: Tokens },
): HandlerOf<"createProjectToken"> {
  return async ({ project, role, expiresIn, id = "" }, call) => {
    const { token, ...entry } = await context.tokens.issue(projectSubject({ project, role }), {
      expiresInMs: lifeOf(expiresIn),
      id: id || randomUUID(),
    });
    await changeProjectTokens(
      context,
      {
        role: { project, role },
        change(tokens) {
          if (tokens.some((one) => one.id === entry.id))
            throw new CapstanError({
              code: "INVALID_ARGUMENT",
              field: "id",
              problem: `role "${role}" has a token with the id "${entry.id}" already: take another, or delete that one`,
            });
          return [entry, ...tokens];
        },
      },
      call,
    );
    return { token };
  };
}
