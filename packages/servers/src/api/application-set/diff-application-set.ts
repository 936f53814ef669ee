import { stringifyJson } from "@capstan/formats";
import { type ApplicationSet, CapstanError, isLiveSet, projectOf } from "@capstan/model";
import { diffSet, isSetNamespace, type SetDifference } from "@capstan/planning";
import type { ApplicationSetChange, ApplicationSetDiff } from "@capstan/wire";
import type { HandlerOf, Identity } from "../../call.ts";
import { findRules } from "../access/find-project.ts";
import { applicationObject } from "../access/rights.ts";
import type { ApiContext } from "../context.ts";
import { readWanted } from "./check-application-set.ts";
import { mergeSet } from "./create-application-set.ts";
import { allowsSet, findApplicationSet, keyOfSet } from "./find-application-set.ts";
import { type GeneratingNeeds, notGenerated } from "./generate-application-set.ts";

/**
 * What the controller would do, if the set were as given or as it is. For a set as given rights are asked for as for a
 * creation, for one that is there that to see it; what Applications hold is shown to whoever may see those.
 */
export function diffApplicationSet(
  context: GeneratingNeeds & Pick<ApiContext, "scripts">,
): HandlerOf<"diffApplicationSet"> {
  return async ({ applicationSet, name, appsetNamespace: namespace }, { user, signal }) => {
    const set = applicationSet
      ? asStored(context, readWanted(context, applicationSet, user), user)
      : findApplicationSet(context, { name: name ?? "", namespace, user, action: "get" });
    requireActing(context, set);
    const findProject = (project: string) => findRules(context, project);
    const found = await diffSet({ ...context, findProject, jq: context.scripts.jq }, set, signal);
    if (found.kind === "failed") throw notGenerated(set, found.message);
    const { differences, problems, deletions } = found;
    const answer: ApplicationSetDiff = {
      changes: differences.map((one) => changeOf(context, one, user)),
      problems: problems.map((problem) => ({ ...problem })),
    };
    if (deletions.kind !== "held") return answer;
    const { code, message } = deletions;
    return { ...answer, heldDeletions: { code, message } };
  };
}

/** As an upsert would leave it. */
function asStored(context: GeneratingNeeds, wanted: ApplicationSet, user: Identity): ApplicationSet {
  const { live, controlNamespace } = context;
  const { namespace = controlNamespace, name } = wanted.metadata;
  const existing = live.get(keyOfSet(namespace, name));
  if (!isLiveSet(existing)) return wanted;
  if (allowsSet(context, user, { action: "get", set: existing })) return mergeSet(existing, wanted);
  throw new CapstanError({
    code: "FORBIDDEN",
    action: "get",
    what: `applicationset "${name}"`,
    user: user.name,
  });
}

/** Where the controller does nothing there is nothing to show. */
function requireActing(context: GeneratingNeeds, set: ApplicationSet): void {
  const { namespace = context.controlNamespace, deletionTimestamp } = set.metadata;
  if (deletionTimestamp) throw notGenerated(set, "is being deleted, and its Applications with it");
  if (!isSetNamespace(context, namespace))
    throw notGenerated(
      set,
      `nothing is made of sets of the namespace ${namespace}: name it in applicationsetcontroller.namespaces of argocd-cmd-params-cm`,
    );
}

function changeOf(
  { rights, controlNamespace }: GeneratingNeeds,
  { act, application, live, target }: SetDifference,
  user: Identity,
): ApplicationSetChange {
  const { name, namespace = controlNamespace } = application.metadata;
  const project = projectOf(application);
  const change = { act, name, namespace, project };
  const object = applicationObject(application, controlNamespace);
  if (!rights.allows(user, { resource: "applications", action: "get", object })) return change;
  return {
    ...change,
    ...(live === undefined ? {} : { liveState: stringifyJson(live) }),
    ...(target === undefined ? {} : { targetState: stringifyJson(target) }),
  };
}
