import { withoutEndSlashes } from "@capstan/formats";
import { object, optional, string } from "@capstan/model/shapes";
import { AnswerError } from "../sending/answer-error.ts";
import { defineService } from "../sending/define-service.ts";
import { jsonHeaders, withoutEmpty } from "../sending/json.ts";
import { transportKeys } from "../sending/transport-keys.ts";

/** Something, @, something with a dot within. A recipient may be as long as an annotation: no pattern goes back in it. */
export function isEmail(recipient: string): boolean {
  const at = recipient.indexOf("@", 1);
  return at > 0 && recipient.lastIndexOf(".", recipient.length - 2) > at + 1 && !/\s/.test(recipient);
}

/** Messages of Webex (pkg/services/webex.go). The recipient is an email address or a room's id. */
export const webex = defineService({
  type: "webex",
  config: object({ token: string(), apiURL: optional(string()), ...transportKeys }),
  secretsOf: ({ token }) => [token],
  create({ token, apiURL, insecureSkipVerify }, { asker }) {
    const ask = asker({ insecure: insecureSkipVerify });
    const url = `${withoutEndSlashes(apiURL || "https://webexapis.com")}/v1/messages`;
    const headers = { ...jsonHeaders, authorization: `Bearer ${token}` };
    return async ({ message = "" }, recipient, signal) => {
      const to = isEmail(recipient) ? { toPersonEmail: recipient } : { roomId: recipient };
      const body = JSON.stringify(withoutEmpty({ ...to, markdown: message }));
      const answer = await ask(url, { method: "POST", headers, body }, signal);
      if (answer.status !== 200) throw new AnswerError(answer);
    };
  },
});
