import { createHash } from "node:crypto";
import { boolean, list, object, optional, type Static, string } from "@capstan/model/shapes";
import type { Notification, SlackPart } from "../notification.ts";
import { AnswerError, expectSuccess } from "../sending/answer-error.ts";
import { retryAfterMs } from "../sending/ask-again.ts";
import { defineService } from "../sending/define-service.ts";
import { formHeaders, readPrintedList, recordOf } from "../sending/json.ts";
import type { Tools } from "../sending/tools.ts";
import { transportKeys } from "../sending/transport-keys.ts";
import type { SlackThread } from "../service-memory.ts";

const schema = object({
  token: string(),
  username: optional(string()),
  icon: optional(string()),
  apiURL: optional(string()),
  disableUnfurl: optional(boolean()),
  signingSecret: optional(string()),
  channels: optional(list(string())),
  ...transportKeys,
});
type Config = Static<typeof schema>;
type Fields = Readonly<Record<string, string>>;

const defaultApi = "https://slack.com/api/";
/** notifications-engine tries for ever. */
const mostTries = 5;

/** Slack's chat.postMessage and chat.update (pkg/services/slack.go, pkg/util/slack/client.go). */
export const slack = defineService({
  type: "slack",
  config: schema,
  secretsOf: ({ token, signingSecret }) => [token, signingSecret],
  warn: (config) => [
    ...(["signingSecret", "channels"] as const)
      .filter((key) => config[key] !== undefined)
      .map((key) => `${key} has no effect: it is of Argo CD's bot`),
    ...(config.icon && iconOf(config.icon) === undefined
      ? ["icon is neither :emoji: nor an address of HTTP"]
      : []),
  ],
  create(config, tools) {
    const post = poster(config, tools);
    return async (notification, recipient, signal) => {
      const fields = fieldsOf(notification, config);
      await sendThreaded(fields, { part: notification.slack, recipient, signal, post, tools, config });
    };
  },
});

type Post = (method: string, fields: Fields, signal: AbortSignal) => Promise<SlackThread>;

interface Threaded {
  readonly part: SlackPart | undefined;
  readonly recipient: string;
  readonly signal: AbortSignal;
  readonly post: Post;
  readonly tools: Tools;
  readonly config: Config;
}

/** The first message of a grouping key starts a thread; those that follow reply to it, or take its place. */
async function sendThreaded(fields: Fields, sent: Threaded): Promise<void> {
  const { part, recipient, signal, post, tools, config } = sent;
  const { groupingKey = "", notifyBroadcast = false, deliveryPolicy = "Post" } = part ?? {};
  const key = createHash("sha256")
    .update(JSON.stringify([config.apiURL ?? "", config.token, recipient, groupingKey]))
    .digest("hex");
  const thread = groupingKey === "" ? undefined : tools.memory.thread(key);
  const threaded = thread === undefined ? fields : { ...fields, thread_ts: thread.ts };
  if (thread === undefined || deliveryPolicy !== "Update") {
    const broadcast = notifyBroadcast ? { reply_broadcast: "true" } : {};
    const posted = await post("chat.postMessage", { channel: recipient, ...broadcast, ...threaded }, signal);
    if (groupingKey !== "" && thread === undefined) await tools.memory.begin(key, posted, signal);
  }
  if (thread !== undefined && deliveryPolicy !== "Post") {
    const { ts, channel } = thread;
    await post("chat.update", { channel: channel || recipient, ts, as_user: "true", ...threaded }, signal);
  }
}

function poster({ token, apiURL, insecureSkipVerify }: Config, { asker, clock }: Tools): Post {
  const ask = asker({ insecure: insecureSkipVerify });
  return async (method, fields, signal) => {
    const body = new URLSearchParams({ token, ...fields }).toString();
    for (let tries = 1; ; tries++) {
      const answer = await ask(
        `${apiURL || defaultApi}${method}`,
        { method: "POST", headers: formHeaders, body },
        signal,
      );
      if (answer.status === 429 && tries < mostTries) {
        await clock.sleep(retryAfterMs(answer, clock) ?? 1000, signal);
        continue;
      }
      const { ok, error, ts, channel } = recordOf(expectSuccess(answer));
      if (ok !== true) throw new AnswerError(answer, typeof error === "string" ? { said: error } : {});
      return { ts: String(ts ?? ""), channel: String(channel ?? "") };
    }
  };
}

/** What of a message does not depend on where it stands. */
function fieldsOf({ message = "", slack: part }: Notification, config: Config): Fields {
  const username = part?.username || config.username;
  const icon = iconOf(part?.icon || config.icon || "");
  const blocks = readPrintedList(part?.blocks ?? "", "slack.blocks");
  return {
    text: message,
    ...(username ? { username } : {}),
    ...icon,
    ...(part ? { attachments: JSON.stringify(readPrintedList(part.attachments, "slack.attachments")) } : {}),
    ...(blocks.length > 0 ? { blocks: JSON.stringify(blocks) } : {}),
    ...(config.disableUnfurl ? { unfurl_links: "false", unfurl_media: "false" } : {}),
  };
}

function iconOf(icon: string): Fields | undefined {
  if (/^:.+:$/.test(icon)) return { icon_emoji: icon };
  return /^https?:\/\//i.test(icon) && URL.canParse(icon) ? { icon_url: icon } : undefined;
}
