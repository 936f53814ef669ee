import { cel } from "../cel/loaded.ts";
import { forbidden } from "../objects/failures.ts";
import type { Review, World } from "../objects/world.ts";
import { inVersion } from "../registry/convert.ts";
import { withDefaults } from "../schema/defaults.ts";
import { isKubeObject, listAt, sameJson, textAt } from "../schema/json.ts";
import { webhookPatch } from "../schema/patching/json-patch.ts";
import type { Rbac } from "../security/rbac.ts";
import { ApiError, type KubeObject } from "../types.ts";
import type { Answer } from "../webhooks/answers.ts";
import { askWebhooks } from "./ask-webhooks.ts";
import { describeRequest } from "./bound-policies.ts";
import { mutatingType, validatingType, type Webhook, webhooksFor } from "./configured-webhooks.ts";
import { denied, dryRunUnsupported, failedCall, internal } from "./webhook-refusals.ts";

interface Needs {
  world: World;
  rbac: Rbac;
}

/** What mutating webhooks make of a new state, each after the other (apiserver plugin/webhook/mutating/dispatcher.go). */
export function mutateByWebhooks(needs: Needs, review: Review, object: KubeObject): KubeObject {
  const { answers } = review;
  if (answers === undefined) return object;
  const webhooks = webhooksFor(needs.world, review, mutatingType);
  const sawAfter = new Map<string, KubeObject>();
  let now = object;
  const pass = (webhook: Webhook, round: number): void => {
    const current = { ...review, object: now };
    if (!isMeant(needs, webhook, current)) return;
    const seen = review.previous === undefined ? asSent(now) : now;
    const [answer] = askWebhooks(needs.world, answers, [{ webhook, review: current, object: seen, round }]);
    now = changed(current, webhook, { object: now, answer });
    sawAfter.set(webhook.id, now);
  };
  for (const webhook of webhooks) pass(webhook, 0);
  for (const webhook of webhooks) {
    const isAsked = textAt(webhook.written, "reinvocationPolicy") === "IfNeeded";
    const last = sawAfter.get(webhook.id);
    if (isAsked && last !== undefined && !sameJson(last, now)) pass(webhook, 1);
  }
  return now;
}

/** What the server alone gives to a new object, mutating webhooks do not see yet. */
function asSent(object: KubeObject): KubeObject {
  const { uid: _uid, generation: _generation, creationTimestamp: _created, ...metadata } = object.metadata;
  return { ...object, metadata };
}

interface Passing {
  object: KubeObject;
  answer: Answer | undefined;
}

function changed(review: Review, webhook: Webhook, { object, answer }: Passing): KubeObject {
  if (!isAllowed(review, webhook, answer)) return object;
  const { patch } = answer;
  if (patch === undefined || patch.length === 0) return object;
  const { served } = review;
  const seen = inVersion(served, webhook.as, object);
  try {
    const patched = webhookPatch(seen, patch);
    if (!isKubeObject(patched)) throw new ApiError(422, "Invalid", "no object is left");
    const { uid, creationTimestamp, generation } = object.metadata;
    const fixed = Object.entries({ uid, creationTimestamp, generation }).filter(
      ([, value]) => value !== undefined,
    );
    const metadata = { ...patched.metadata, ...Object.fromEntries(fixed) };
    return withDefaults(
      served.schema(),
      served.defaults,
      inVersion(webhook.as, served, { ...patched, metadata }),
    );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw internal(error.message);
  }
}

/** The last word of validating webhooks, which are asked all at once; the first that refuses is told. */
export function validateByWebhooks(needs: Needs, review: Review): void {
  const { answers } = review;
  if (answers === undefined) return;
  const meant = webhooksFor(needs.world, review, validatingType).filter((webhook) =>
    isMeant(needs, webhook, review),
  );
  const questions = meant.map((webhook) => ({ webhook, review, object: review.object, round: 0 }));
  const found = askWebhooks(needs.world, answers, questions);
  for (const [index, webhook] of meant.entries()) isAllowed(review, webhook, found[index]);
}

/** Whether it answered and allows it; throws where it does not, or gave no answer and that is a refusal. */
function isAllowed(
  review: Review,
  { name, ignoresFailure }: Webhook,
  answer: Answer | undefined,
): answer is Exclude<Answer, string | { failure: string }> {
  if (answer === undefined) return false;
  if (answer === "unreachable") {
    review.warn(
      `capstan: admission webhook ${JSON.stringify(name)} was not called: the Pods of its Service are simulated`,
    );
    return false;
  }
  if ("failure" in answer) {
    if (ignoresFailure) return false;
    throw internal(failedCall(name, answer.failure));
  }
  for (const warning of answer.warnings) review.warn(warning);
  if (!answer.allowed) throw denied(name, answer.status);
  return true;
}

/** Whether its conditions hold and it may be called in a dry run. */
function isMeant({ rbac }: Needs, { name, written, ignoresFailure }: Webhook, review: Review): boolean {
  if (listAt(written, "matchConditions").length > 0) {
    const met = cel().webhookMeets(written, {
      object: review.object,
      previous: review.previous,
      request: describeRequest(review),
      rbac,
      requester: review.requester,
    });
    if (met === false) return false;
    if (met !== true) {
      if (ignoresFailure) return false;
      throw forbidden({ info: review.served.info, name: review.name }, met);
    }
  }
  const effects = textAt(written, "sideEffects");
  if (review.dryRun && effects !== "None" && effects !== "NoneOnDryRun") throw dryRunUnsupported(name);
  return true;
}
