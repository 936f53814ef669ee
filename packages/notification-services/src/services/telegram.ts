import { object, string } from "@capstan/model/shapes";
import { AnswerError } from "../sending/answer-error.ts";
import { defineService } from "../sending/define-service.ts";
import { formHeaders, recordOf, withoutEmpty } from "../sending/json.ts";

/**
 * Telegram's bots (pkg/services/telegram.go). The recipient is a public channel's name, or a chat's negative id, with
 * `|<thread>` for a topic of it.
 */
export const telegram = defineService({
  type: "telegram",
  config: object({ token: string() }),
  secretsOf: ({ token }) => [token],
  check: ({ token }) =>
    /^[\w:-]+$/.test(token) ? [] : ["token is none of Telegram's bots: they look like 123:ABC"],
  create({ token }, { asker }) {
    const ask = asker();
    const url = `https://api.telegram.org/bot${token}/sendMessage`;
    return async ({ message = "" }, recipient, signal) => {
      const fields = { ...chatOf(recipient), ...withoutEmpty({ text: message }), parse_mode: "Markdown" };
      const body = new URLSearchParams(fields).toString();
      const answer = await ask(url, { method: "POST", headers: formHeaders, body }, signal);
      const { ok, description } = recordOf(answer);
      if (ok !== true)
        throw new AnswerError(answer, typeof description === "string" ? { said: description } : {});
    };
  },
});

function chatOf(recipient: string): Record<string, string> {
  if (!recipient.startsWith("-")) return { chat_id: `@${recipient}` };
  const [chat = "", thread] = recipient.split("|");
  if (!/^-\d{1,19}$/.test(chat)) throw new Error(`the recipient "${chat}" is no id of a chat`);
  if (thread === undefined || thread === "0") return { chat_id: chat };
  if (!/^-?\d{1,19}$/.test(thread)) throw new Error(`the recipient's "${thread}" is no id of a thread`);
  return { chat_id: chat, message_thread_id: thread };
}
