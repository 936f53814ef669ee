import { accessActions, accessResources, projectScopedResources } from "@capstan/engine";
import { CapstanError } from "@capstan/model";
import { type SubjectKind, subjectKinds } from "@capstan/wire";
import type { HandlerOf, Identity } from "../../call.ts";
import { ownIssuer } from "../access/own-issuer.ts";
import { type Right, requireRight } from "../access/rights.ts";
import type { ApiContext } from "../context.ts";

type Needs = Pick<ApiContext, "rights" | "settings" | "controlNamespace">;

/** Asked as the handlers themselves ask, so that the answer is theirs (Argo CD server/account CanI). */
export function canI(context: Needs): HandlerOf<"canI"> {
  return async ({ resource, action, subresource }, { user }) => {
    return { value: mayDo(context, user, { resource, action, object: subresource }) ? "yes" : "no" };
  };
}

/** Of one page of the browser; whoever has more to ask asks again. */
const mostRights = 2000;

/** The same for many at once: a page asks for all its buttons together. */
export function askRights(context: Needs): HandlerOf<"askRights"> {
  return async ({ rights = [] }, { user }) => {
    requireFew(rights);
    return { allowed: rights.map((right) => mayDo(context, user, asWritten(right))) };
  };
}

function requireFew({ length }: readonly unknown[]): void {
  if (length <= mostRights) return;
  const problem = `holds ${length} questions; ask for ${mostRights} at most`;
  throw new CapstanError({ code: "INVALID_ARGUMENT", field: "rights", problem });
}

/** Of whom nobody can be: a provider's users are told from accounts by where they come from alone. */
const providerIssuer = "provider:";

/** What another one may: who may see an account may, of what a provider names who may see all. */
export function askRightsOf(context: Needs): HandlerOf<"askRightsOf"> {
  return async ({ kind = "", subject = "", rights = [] }, { user }) => {
    const found = subjectKinds.find((known) => known === kind);
    if (found === undefined || subject === "") {
      const problem = `name ${subjectKinds.join(", ")} and which`;
      throw new CapstanError({ code: "INVALID_ARGUMENT", field: "kind", problem });
    }
    const object = found === "account" ? subject : "*";
    requireRight(context.rights, user, { resource: "accounts", action: "get", object });
    requireFew(rights);
    const asked = identityOf(found, subject);
    return { allowed: rights.map((right) => mayDo(context, asked, asWritten(right))) };
  };
}

function identityOf(kind: SubjectKind, subject: string): Identity {
  if (kind === "group") return { name: "", groups: [subject], issuer: providerIssuer };
  return { name: subject, groups: [], issuer: kind === "user" ? providerIssuer : ownIssuer };
}

/** What a body leaves out is empty, as in a message of gRPC; an empty word is refused. */
function asWritten({ resource = "", action = "", object = "" }: Partial<Right>): Right {
  return { resource, action, object };
}

function mayDo(context: Needs, user: Identity, right: Right): boolean {
  const [verb = "", ...ofObject] = right.action.split("/");
  requireWord("resource", right.resource, accessResources);
  requireWord("action", verb, accessActions);
  if (context.rights.allows(user, asAsked(context, right))) return true;
  // As with the objects of an application themselves (find-resource.ts).
  const inherits =
    right.resource === "applications" &&
    ofObject.length > 0 &&
    (verb === "update" || verb === "delete") &&
    context.settings.current.general.fineGrainedInheritance;
  return inherits && context.rights.allows(user, asAsked(context, { ...right, action: verb }));
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
