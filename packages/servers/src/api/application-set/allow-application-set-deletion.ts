import { formatAllowance, isRemovalCode } from "@capstan/engine";
import { formatTime } from "@capstan/formats";
import { annotationKeys, CapstanError, deletionHeldCondition } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import { untilEchoed } from "../live-waits.ts";
import { type ApplicationSetNeeds, findApplicationSet, keyOfSet, refOfSet } from "./find-application-set.ts";

/**
 * Consents to the deletions that a code names: those that the set's condition shows now. Whoever may update the set may
 * consent, as for the prunes of an application.
 */
export function allowApplicationSetDeletion(
  context: ApplicationSetNeeds,
): HandlerOf<"allowApplicationSetDeletion"> {
  return async ({ name, appsetNamespace, code }, { user, signal }) => {
    const { kube, live, clock, controlNamespace } = context;
    const set = findApplicationSet(context, { name, namespace: appsetNamespace, user, action: "update" });
    if (!isRemovalCode(code))
      throw new CapstanError({
        code: "INVALID_ARGUMENT",
        field: "code",
        problem: `"${code.slice(0, 60)}" is no such code; the set's condition ${deletionHeldCondition} shows it`,
      });
    const held = set.status?.conditions?.find(({ type }) => type === deletionHeldCondition);
    if (!held?.message.endsWith(` ${code}`))
      throw new CapstanError({
        code: "FAILED_PRECONDITION",
        what: `ApplicationSet ${name}`,
        problem: held ? `holds other deletions now: ${held.message}` : "holds no deletions now",
      });
    const { namespace = controlNamespace, uid } = set.metadata;
    const annotations = { [annotationKeys.deletionAllowed]: formatAllowance(code, formatTime(clock.now())) };
    // For the set whose condition was read: one that was made anew has consented to nothing.
    const body = { metadata: { annotations, ...(uid ? { uid } : {}) } };
    const written = await kube.patch(refOfSet(namespace, name), { type: "merge", body }, { signal });
    await untilEchoed(live, { key: keyOfSet(namespace, name), written }, { clock, signal });
    return {};
  };
}
