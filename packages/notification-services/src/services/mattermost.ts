import { object, string } from "@capstan/model/shapes";
import { expectSuccess } from "../sending/answer-error.ts";
import { defineService } from "../sending/define-service.ts";
import { jsonHeaders, readPrintedList } from "../sending/json.ts";
import { transportKeys } from "../sending/transport-keys.ts";

/** Posts of Mattermost (pkg/services/mattermost.go). The recipient is a channel's id. */
export const mattermost = defineService({
  type: "mattermost",
  config: object({ apiURL: string(), token: string(), ...transportKeys }),
  secretsOf: ({ token }) => [token],
  create({ apiURL, token, insecureSkipVerify }, { asker }) {
    const ask = asker({ insecure: insecureSkipVerify });
    const headers = { ...jsonHeaders, authorization: `Bearer ${token}` };
    return async ({ message = "", mattermost: part }, recipient, signal) => {
      const attachments = readPrintedList(part?.attachments ?? "", "mattermost.attachments");
      const body = JSON.stringify({ channel_id: recipient, message, props: { attachments } });
      expectSuccess(await ask(`${apiURL}/api/v4/posts`, { method: "POST", headers, body }, signal));
    };
  },
});
