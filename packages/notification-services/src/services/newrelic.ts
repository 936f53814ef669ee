import { withoutEndSlashes } from "@capstan/formats";
import { object, optional, string } from "@capstan/model/shapes";
import { expectSuccess } from "../sending/answer-error.ts";
import { defineService } from "../sending/define-service.ts";
import { jsonHeaders, withoutEmpty } from "../sending/json.ts";
import { transportKeys } from "../sending/transport-keys.ts";

/** Deployment markers of New Relic (pkg/services/newrelic.go). The recipient is an application's id. */
export const newrelic = defineService({
  type: "newrelic",
  config: object({ apiKey: string(), apiURL: optional(string()), ...transportKeys }),
  secretsOf: ({ apiKey }) => [apiKey],
  check: ({ apiKey }) => (apiKey === "" ? ["apiKey is empty"] : []),
  create({ apiKey, apiURL, insecureSkipVerify }, { asker }) {
    const ask = asker({ insecure: insecureSkipVerify });
    const api = withoutEndSlashes(apiURL || "https://api.newrelic.com");
    const headers = { ...jsonHeaders, "x-api-key": apiKey };
    return async ({ message = "", newrelic: part }, recipient, signal) => {
      if (!part) throw new Error("the template has no part newrelic");
      const { revision, changelog, description, user } = part;
      const rest = withoutEmpty({ changelog, description: description || message, user });
      const url = `${api}/v2/applications/${encodeURIComponent(recipient)}/deployments.json`;
      const body = JSON.stringify({ deployment: { revision, ...rest } });
      // notifications-engine does not look at the answer, and takes a refusal for a success.
      expectSuccess(await ask(url, { method: "POST", headers, body }, signal));
    };
  },
});
