import { createHash } from "node:crypto";
import { stringifyJson } from "@capstan/formats";
import type { Review, World } from "../objects/world.ts";
import { inVersion } from "../registry/convert.ts";
import { type JsonObject, listAt, objectAt, textAt } from "../schema/json.ts";
import type { KubeObject } from "../types.ts";
import type { Answer, WebhookAnswers } from "../webhooks/answers.ts";
import { callWebhook } from "../webhooks/call-webhook.ts";
import { Pending } from "../webhooks/pending.ts";
import { locateWebhook } from "../webhooks/webhook-address.ts";
import { admissionRequest, readVerdict, reviewBody } from "./admission-review.ts";
import type { Webhook } from "./configured-webhooks.ts";

export interface Question {
  readonly webhook: Webhook;
  readonly review: Review;
  readonly object: KubeObject | undefined;
  /** Distinguishes a second call of the same webhook. */
  readonly round: number;
}

/** The answers, in order; throws Pending where one is still to be fetched. */
export function askWebhooks(world: World, answers: WebhookAnswers, questions: readonly Question[]): Answer[] {
  const asked = questions.map((question) => {
    const request = requestOf(question);
    return { question, request, key: keyOf(question, request) };
  });
  const open = asked.filter(({ key }) => answers.get(key) === undefined);
  if (open.length === 0) return asked.flatMap(({ key }) => answers.get(key) ?? []);
  throw new Pending(async (signal) => {
    await Promise.all(
      open.map(async ({ question, request, key }) =>
        answers.set(key, await ask(world, { webhook: question.webhook, request, signal })),
      ),
    );
  });
}

function requestOf({ webhook, review, object }: Question): JsonObject {
  return admissionRequest({
    review,
    as: webhook.as,
    object: object === undefined ? null : inVersion(review.served, webhook.as, object),
    previous: review.previous === undefined ? null : inVersion(review.served, webhook.as, review.previous),
  });
}

/** Times differ each time that a request is done, and mean nothing for what is answered. */
function keyOf({ webhook, round }: Question, request: JsonObject): string {
  const text = stringifyJson({ ...request, object: timeless(objectAt(request, "object")) });
  return `${webhook.id}/${round}/${createHash("sha256").update(text).digest("base64")}`;
}

function timeless(object: JsonObject | undefined): JsonObject | undefined {
  if (object === undefined) return undefined;
  const {
    creationTimestamp: _created,
    managedFields: _managed,
    uid: _uid,
    ...metadata
  } = objectAt(object, "metadata") ?? {};
  return { ...object, metadata };
}

interface Asking {
  webhook: Webhook;
  request: JsonObject;
  signal: AbortSignal;
}

async function ask({ store, clock }: World, { webhook, request, signal }: Asking): Promise<Answer> {
  const { written, timeoutSeconds } = webhook;
  const client = objectAt(written, "clientConfig");
  const address = locateWebhook(store, client, timeoutSeconds);
  if (address === "simulated") return "unreachable";
  if ("problem" in address) return { failure: `failed to call webhook: ${address.problem}` };
  const versions = listAt(written, "admissionReviewVersions").map(String);
  const version = versions.find((one) => one === "v1" || one === "v1beta1") ?? "v1";
  const { uid, body } = reviewBody(version, request);
  let answer: unknown;
  try {
    const caBundle = textAt(client, "caBundle");
    answer = await callWebhook({ address, caBundle, timeoutSeconds, body, clock, signal });
  } catch (error) {
    signal.throwIfAborted();
    return { failure: `failed to call webhook: ${error instanceof Error ? error.message : error}` };
  }
  try {
    return readVerdict(answer, { uid, version });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { failure: `received invalid webhook response: ${why}` };
  }
}
