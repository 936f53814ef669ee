import { withoutEndSlashes } from "@capstan/formats";
import { object, string } from "@capstan/model/shapes";
import { AnswerError } from "../sending/answer-error.ts";
import { defineService } from "../sending/define-service.ts";
import { jsonHeaders } from "../sending/json.ts";
import { transportKeys } from "../sending/transport-keys.ts";

/** Annotations of Grafana (pkg/services/grafana.go). The recipient is their tags: `one|another`. */
export const grafana = defineService({
  type: "grafana",
  config: object({ apiUrl: string(), apiKey: string(), ...transportKeys }),
  secretsOf: ({ apiKey }) => [apiKey],
  check: ({ apiUrl }) => (URL.canParse(apiUrl) ? [] : ["apiUrl is no URL"]),
  create({ apiUrl, apiKey, insecureSkipVerify }, { asker, clock }) {
    const ask = asker({ insecure: insecureSkipVerify });
    const url = new URL(apiUrl);
    url.pathname = `${withoutEndSlashes(url.pathname)}/annotations`;
    const headers = { ...jsonHeaders, authorization: `Bearer ${apiKey}` };
    return async ({ message = "" }, recipient, signal) => {
      const time = Math.floor(clock.now() / 1000) * 1000;
      const body = JSON.stringify({ time, isRegion: false, tags: recipient.split("|"), text: message });
      const answer = await ask(url.href, { method: "POST", headers, body }, signal);
      if (answer.status !== 200) throw new AnswerError(answer);
    };
  },
});
