import { isRecord } from "@capstan/formats";
import { map, object, string } from "@capstan/model/shapes";
import type { Notification } from "../notification.ts";
import { expectSuccess } from "../sending/answer-error.ts";
import { defineService } from "../sending/define-service.ts";
import { jsonHeaders, readPrinted, readPrintedList, withoutEmpty } from "../sending/json.ts";
import { transportKeys } from "../sending/transport-keys.ts";

/** Addresses of Power Automate (pkg/services/teams-workflows.go WorkflowsURLPattern). */
const workflows =
  /api\.(powerautomate|powerplatform)\.com|flow\.microsoft\.com|webhook\.office\.com\/workflows|\/powerautomate\//i;

/** Workflows of Microsoft Teams, which take a message with one Adaptive Card. */
export const teamsWorkflows = defineService({
  type: "teams-workflows",
  config: object({ recipientUrls: map(string()), ...transportKeys }),
  secretsOf: ({ recipientUrls }) => Object.values(recipientUrls),
  check: ({ recipientUrls }) =>
    Object.entries(recipientUrls).flatMap(([recipient, url]) => {
      const problem = problemOf(url);
      return problem === undefined ? [] : [`recipientUrls.${recipient} ${problem}`];
    }),
  create({ recipientUrls, insecureSkipVerify }, { asker }) {
    const ask = asker({ insecure: insecureSkipVerify });
    return async (notification, recipient, signal) => {
      const url = Object.hasOwn(recipientUrls, recipient) ? recipientUrls[recipient] : undefined;
      if (url === undefined) throw new Error("recipientUrls has no such recipient");
      const attachment = {
        contentType: "application/vnd.microsoft.card.adaptive",
        content: cardOf(notification),
      };
      const body = JSON.stringify({ type: "message", attachments: [attachment] });
      expectSuccess(await ask(url, { method: "POST", headers: jsonHeaders, body }, signal));
    };
  },
});

function problemOf(address: string): string | undefined {
  if (!URL.canParse(address)) return "is no URL";
  const { protocol, hostname } = new URL(address);
  const isOwn = hostname === "localhost" || hostname.startsWith("127.");
  if (protocol !== "https:" && !(protocol === "http:" && isOwn)) return "must be an https address";
  return workflows.test(address)
    ? undefined
    : "is no address of a workflow of Microsoft Teams (Power Automate)";
}

function cardOf({ message = "", "teams-workflows": part }: Notification): unknown {
  if (part?.adaptiveCard) return readPrinted(part.adaptiveCard.trim(), "teams-workflows.adaptiveCard");
  const { title = "", text, themeColor, facts = "", sections = "", potentialAction = "" } = part ?? {};
  const list = (printed: string, name: string) => readPrintedList(printed, `teams-workflows.${name}`);
  const shown = text || message;
  const factSets = [list(facts, "facts"), ...list(sections, "sections").map(factsOf)].map(factSet);
  const actions = list(potentialAction, "potentialAction").flatMap(openUrl);
  const heading = {
    type: "TextBlock",
    text: title,
    size: "Large",
    weight: "Bolder",
    color: themeColor,
    wrap: true,
  };
  return {
    type: "AdaptiveCard",
    version: "1.4",
    body: [
      ...(title === "" ? [] : [withoutEmpty(heading)]),
      ...(shown === "" ? [] : [{ type: "TextBlock", text: shown, wrap: true }]),
      ...factSets.filter((set) => set.facts.length > 0),
    ],
    ...withoutEmpty({ actions }),
  };
}

function factsOf(section: unknown): readonly unknown[] {
  return isRecord(section) && Array.isArray(section.facts) ? section.facts : [];
}

function factSet(facts: readonly unknown[]) {
  const named = facts.flatMap((fact) =>
    isRecord(fact) && typeof fact.name === "string"
      ? [{ title: fact.name, value: factText(fact.value) }]
      : [],
  );
  return { type: "FactSet", facts: named };
}

function factText(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Of the actions of cards of old only this one has a place in an Adaptive Card. */
function openUrl(action: unknown): Record<string, unknown>[] {
  if (!isRecord(action) || action["@type"] !== "OpenUri" || !Array.isArray(action.targets)) return [];
  const target: unknown = action.targets[0];
  const url = isRecord(target) && typeof target.uri === "string" ? target.uri : "";
  const title = typeof action.name === "string" ? action.name : "";
  return url === "" ? [] : [withoutEmpty({ type: "Action.OpenUrl", title, url })];
}
