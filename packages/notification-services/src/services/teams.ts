import { isRecord } from "@capstan/formats";
import { map, object, string } from "@capstan/model/shapes";
import type { Notification } from "../notification.ts";
import { AnswerError } from "../sending/answer-error.ts";
import { defineService } from "../sending/define-service.ts";
import { jsonHeaders, readPrintedList, withoutEmpty } from "../sending/json.ts";
import { transportKeys } from "../sending/transport-keys.ts";

/** Connectors of Microsoft Teams (pkg/services/teams.go), which answer "1" to what they take. */
export const teams = defineService({
  type: "teams",
  config: object({ recipientUrls: map(string()), ...transportKeys }),
  secretsOf: ({ recipientUrls }) => Object.values(recipientUrls),
  create({ recipientUrls, insecureSkipVerify }, { asker }) {
    const ask = asker({ insecure: insecureSkipVerify });
    return async (notification, recipient, signal) => {
      const url = Object.hasOwn(recipientUrls, recipient) ? recipientUrls[recipient] : undefined;
      if (url === undefined) throw new Error("recipientUrls has no such recipient");
      const body = bodyOf(notification);
      const answer = await ask(url, { method: "POST", headers: jsonHeaders, body }, signal);
      if (answer.body.toString() !== "1") throw new AnswerError(answer);
    };
  },
});

function bodyOf({ message = "", teams: part }: Notification): string {
  if (part?.template) return part.template;
  const {
    title = "",
    summary = "",
    text,
    themeColor,
    sections = "",
    facts = "",
    potentialAction = "",
  } = part ?? {};
  const allSections = [
    ...readPrintedList(sections, "teams.sections"),
    ...(facts === "" ? [] : [{ facts: readPrintedList(facts, "teams.facts") }]),
  ];
  const actions = readPrintedList(potentialAction, "teams.potentialAction");
  if (![...allSections, ...actions].every(isRecord))
    throw new Error("teams: what sections and actions list are objects");
  return JSON.stringify({
    "@type": "MessageCard",
    context: "https://schema.org/extensions",
    title,
    summary,
    text: text || message,
    ...withoutEmpty({ themeColor, potentialAction: actions, sections: allSections }),
  });
}
