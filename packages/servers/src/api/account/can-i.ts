import { accessActions, accessResources, projectScopedResources } from "@capstan/engine";
import { CapstanError } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import type { Right } from "../access/rights.ts";
import type { ApiContext } from "../context.ts";

type Needs = Pick<ApiContext, "rights" | "settings" | "controlNamespace">;

/** Asked as the handlers themselves ask, so that the answer is theirs (Argo CD server/account CanI). */
export function canI(context: Needs): HandlerOf<"canI"> {
  return async ({ resource, action, subresource }, { user }) => {
    requireWord("resource", resource, accessResources);
    requireWord("action", action.split("/")[0] ?? "", accessActions);
    const right = { resource, action, object: subresource };
    return { value: context.rights.allows(user, asAsked(context, right)) ? "yes" : "no" };
  };
}

function requireWord(field: string, word: string, known: readonly string[]): void {
  if (known.includes(word)) return;
  const problem = `"${word}" is none of ${known.join(", ")}`;
  throw new CapstanError({ code: "INVALID_ARGUMENT", field, problem });
}

function asAsked({ settings, controlNamespace }: Needs, { resource, action, object }: Right): Right {
  const isRollback = resource === "applications" && action === "rollback";
  const [project, namespace, name, ...more] = object.split("/");
  const isOwn = name !== undefined && more.length === 0 && namespace === controlNamespace;
  return {
    resource,
    action: isRollback && !settings.current.general.rollbackEnforced ? "sync" : action,
    // An application of the control namespace is asked for without it.
    object: isOwn && projectScopedResources.has(resource) ? `${project}/${name}` : object,
  };
}
