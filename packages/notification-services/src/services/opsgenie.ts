import { map, object, optional, string } from "@capstan/model/shapes";
import type { Notification } from "../notification.ts";
import { AnswerError } from "../sending/answer-error.ts";
import { askAgain } from "../sending/ask-again.ts";
import { defineService } from "../sending/define-service.ts";
import { withoutEmpty } from "../sending/json.ts";
import { transportKeys } from "../sending/transport-keys.ts";

/** Of Opsgenie's own client (opsgenie-go-sdk-v2 client/client.go setRetryPolicy). */
const again = { retries: 4, firstPauseMs: 1000, longestPauseMs: 30_000 };
const defaultApi = "api.opsgenie.com";

/** Alerts of Opsgenie (pkg/services/opsgenie.go). The recipient is a team's id, and names its key in `apiKeys`. */
export const opsgenie = defineService({
  type: "opsgenie",
  config: object({ apiUrl: optional(string()), apiKeys: map(string()), ...transportKeys }),
  secretsOf: ({ apiKeys }) => Object.values(apiKeys),
  check: ({ apiUrl }) =>
    apiUrl && !URL.canParse(addressOf(apiUrl)) ? ["apiUrl is no host: write api.opsgenie.com"] : [],
  create({ apiUrl, apiKeys, insecureSkipVerify }, { asker, clock }) {
    const ask = asker({ insecure: insecureSkipVerify });
    const url = addressOf(apiUrl || defaultApi);
    return async (notification, recipient, signal) => {
      const key = Object.hasOwn(apiKeys, recipient) ? apiKeys[recipient] : undefined;
      if (key === undefined) throw new Error("apiKeys has no such recipient");
      const headers = {
        "content-type": "application/json; charset=utf-8",
        accept: "application/json",
        authorization: `GenieKey ${key}`,
      };
      const body = JSON.stringify(alertOf(notification, recipient));
      const answer = await askAgain(() => ask(url, { method: "POST", headers, body }, signal), {
        ...again,
        clock,
        signal,
      });
      if (answer.status >= 300) throw new AnswerError(answer);
    };
  },
});

/** `apiUrl` is a host. What is on this machine is reached without TLS. */
function addressOf(apiUrl: string): string {
  const host = apiUrl.replace(/^https?:\/\//i, "");
  const isOwn = /^(localhost|127(\.\d+){3})(:\d+)?$/.test(host);
  return `${isOwn ? "http" : "https"}://${host}/v2/alerts`;
}

function alertOf({ message = "", opsgenie: part }: Notification, recipient: string) {
  if (message === "") throw new Error("the template has no message, which Opsgenie needs");
  if (part?.description === "") throw new Error("the template's opsgenie.description is empty");
  const { details = {}, visibleTo = [], ...texts } = part ?? {};
  return {
    message,
    ...withoutEmpty(texts),
    ...(Object.keys(details).length > 0 ? { details } : {}),
    ...withoutEmpty({ visibleTo: visibleTo.map(responderOf) }),
    responders: [responderOf({ type: "team", id: recipient })],
    source: "Argo CD",
  };
}

/** Opsgenie's client leaves out a name and an id that are empty, and no other field. */
function responderOf({
  type,
  id,
  name = "",
  username = "",
}: {
  type: string;
  id: string;
  name?: string;
  username?: string;
}) {
  return { type, username, ...withoutEmpty({ id, name }) };
}
