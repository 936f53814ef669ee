import { object, string } from "@capstan/model/shapes";
import { AnswerError } from "../sending/answer-error.ts";
import { defineService } from "../sending/define-service.ts";
import { formHeaders, recordOf } from "../sending/json.ts";

const isToken = (text: string) => /^[A-Za-z0-9]{30}$/.test(text);
/** Of a message, in characters (gregdel/pushover MessageMaxLength). */
const longest = 1024;

/** Messages of Pushover (pkg/services/pushover.go). The recipient is a user's or group's key. */
export const pushover = defineService({
  type: "pushover",
  config: object({ token: string() }),
  secretsOf: ({ token }) => [token],
  check: ({ token }) =>
    isToken(token) ? [] : ["token is none of Pushover's: they have 30 letters and digits"],
  create({ token }, { asker }) {
    const ask = asker();
    return async ({ message = "" }, recipient, signal) => {
      if (!isToken(recipient))
        throw new Error("the recipient is no key of Pushover: they have 30 letters and digits");
      if (message === "") throw new Error("the template has no message, which Pushover needs");
      if ([...message].length > longest) throw new Error(`the message has more than ${longest} characters`);
      const body = new URLSearchParams({ message, priority: "0", token, user: recipient }).toString();
      const asked = { method: "POST", headers: formHeaders, body };
      const answer = await ask("https://api.pushover.net/1/messages.json", asked, signal);
      const { status, errors } = recordOf(answer);
      if (answer.status === 200 && status === 1) return;
      throw new AnswerError(answer, Array.isArray(errors) ? { said: errors.join("; ") } : {});
    };
  },
});
