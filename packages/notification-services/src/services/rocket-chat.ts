import { withoutEndSlashes } from "@capstan/formats";
import { object, optional, type Static, string } from "@capstan/model/shapes";
import type { OutboundAnswer } from "@capstan/outbound";
import type { Notification } from "../notification.ts";
import { AnswerError } from "../sending/answer-error.ts";
import { defineService } from "../sending/define-service.ts";
import { formHeaders, jsonHeaders, readPrintedList, recordOf, withoutEmpty } from "../sending/json.ts";
import type { Ask } from "../sending/tools.ts";

const schema = object({
  serverUrl: string(),
  email: string(),
  password: string(),
  alias: optional(string()),
  icon: optional(string()),
  avatar: optional(string()),
});
type Config = Static<typeof schema>;

const isEmoji = (icon: string) => /^:.+:$/.test(icon);
const isAddress = (avatar: string) => /^https?:\/\//i.test(avatar) && URL.canParse(avatar);

/** Rocket.Chat, where each message is after a login (pkg/services/rocketchat.go). The recipient is #channel, @user or a room's id. */
export const rocketChat = defineService({
  type: "rocketchat",
  config: schema,
  secretsOf: ({ password }) => [password],
  warn: ({ icon, avatar }) => [
    ...(icon && !isEmoji(icon) ? ["icon is no :emoji:"] : []),
    ...(avatar && !isAddress(avatar) ? ["avatar is no address of HTTP"] : []),
  ],
  create(config, { asker, hide }) {
    const ask = asker();
    const api = `${withoutEndSlashes(config.serverUrl)}/api/v1`;
    return async (notification, recipient, signal) => {
      const login = await logIn(api, config, (url, asked) => ask(url, asked, signal));
      hide(login.token);
      const body = JSON.stringify(messageOf(notification, recipient, config));
      const headers = { ...jsonHeaders, "x-auth-token": login.token, "x-user-id": login.id };
      expectTaken(await ask(`${api}/chat.postMessage`, { method: "POST", headers, body }, signal));
    };
  },
});

type AskNow = (url: string, asked: Parameters<Ask>[1]) => ReturnType<Ask>;

async function logIn(
  api: string,
  { email, password }: Config,
  ask: AskNow,
): Promise<{ token: string; id: string }> {
  const body = new URLSearchParams({ user: email, password }).toString();
  const answer = await ask(`${api}/login`, { method: "POST", headers: formHeaders, body });
  const { data } = expectTaken(answer);
  if (typeof data !== "object" || data === null || !("authToken" in data) || !("userId" in data))
    throw new AnswerError(answer, { said: "the login gives no token" });
  return { token: String(data.authToken), id: String(data.userId) };
}

/** Its answers say whether they are a success, in one way or the other (rest.Status). */
function expectTaken(answer: OutboundAnswer): Record<string, unknown> {
  const said = recordOf(answer);
  if (answer.status === 200 && (said.success === true || said.status === "success")) return said;
  const problem = [said.error, said.message].find((text) => typeof text === "string" && text !== "");
  throw new AnswerError(answer, typeof problem === "string" ? { said: problem } : {});
}

function messageOf({ message, rocketchat: part }: Notification, recipient: string, config: Config) {
  const { alias, icon = "", avatar = "" } = config;
  const attachments = readPrintedList(part?.attachments ?? "", "rocketchat.attachments");
  return withoutEmpty({
    ...(/^[#@]/.test(recipient) ? { channel: recipient } : { roomId: recipient }),
    text: message,
    alias,
    emoji: isEmoji(icon) ? icon : "",
    avatar: isAddress(avatar) ? avatar : "",
    attachments,
  });
}
