import { randomUUID } from "node:crypto";
import { isRecord } from "@capstan/formats";
import { parseYaml } from "@capstan/model";
import { map, object, string } from "@capstan/model/shapes";
import type { Notification } from "../notification.ts";
import { AnswerError, expectSuccess } from "../sending/answer-error.ts";
import { defineService } from "../sending/define-service.ts";
import { jsonHeaders, recordOf } from "../sending/json.ts";
import { transportKeys } from "../sending/transport-keys.ts";

/** Webhooks of Google Chat (pkg/services/googlechat.go). The recipient is a name in `webhooks`. */
export const googleChat = defineService({
  type: "googlechat",
  config: object({ webhooks: map(string()), ...transportKeys }),
  secretsOf: ({ webhooks }) => Object.values(webhooks),
  create({ webhooks, insecureSkipVerify }, { asker }) {
    const ask = asker({ insecure: insecureSkipVerify });
    return async (notification, recipient, signal) => {
      const url = Object.hasOwn(webhooks, recipient) ? webhooks[recipient] : undefined;
      if (url === undefined) throw new Error("webhooks has no such recipient");
      const body = JSON.stringify(messageOf(notification));
      const address = threaded(url, notification.googlechat?.threadKey ?? "");
      const answer = await ask(address, { method: "POST", headers: jsonHeaders, body }, signal);
      const { error } = recordOf(answer);
      if (isRecord(error))
        throw new AnswerError(answer, { said: `${error.status ?? ""} ${error.message ?? ""}` });
      expectSuccess(answer);
    };
  },
});

function threaded(address: string, threadKey: string): string {
  if (threadKey === "" || !URL.canParse(address)) return address;
  const url = new URL(address);
  url.searchParams.append("threadKey", threadKey);
  url.searchParams.append("messageReplyOption", "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD");
  return url.href;
}

/** Cards in place of the text. */
function messageOf({ message = "", googlechat: part }: Notification): unknown {
  const { cards = "", cardsV2 = "" } = part ?? {};
  if (cards === "" && cardsV2 === "") return { text: message };
  const old = readList(cards, "googlechat.cards");
  const fresh = readList(cardsV2, "googlechat.cardsV2").map((card) => ({ cardId: randomUUID(), card }));
  return {
    text: "",
    ...(old.length > 0 ? { cards: old } : {}),
    ...(fresh.length > 0 ? { cardsV2: fresh } : {}),
  };
}

function readList(text: string, field: string): readonly unknown[] {
  let value: unknown;
  try {
    value = parseYaml(text) ?? [];
  } catch (error) {
    throw new Error(`${field} is no YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (Array.isArray(value)) return value;
  throw new Error(`${field} is no list`);
}
