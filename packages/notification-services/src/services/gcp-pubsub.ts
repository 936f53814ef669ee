import { object, optional, type Static, string } from "@capstan/model/shapes";
import { readGoogleToken, TokenCache } from "@capstan/secret-services";
import { Settings } from "@capstan/secret-services/settings";
import { expectSuccess } from "../sending/answer-error.ts";
import { defineService } from "../sending/define-service.ts";
import { jsonHeaders } from "../sending/json.ts";
import type { Tools } from "../sending/tools.ts";

const schema = object({ topic: optional(string()), project: string(), keyFile: optional(string()) });
type Config = Static<typeof schema>;

/** Topics of Google Cloud Pub/Sub (pkg/services/pubsub.go). The recipient is a topic in place of the entry's. */
export const gcpPubsub = defineService({
  type: "gcppubsub",
  config: schema,
  secretsOf: () => [],
  check: (_, { guarded }) =>
    guarded
      ? [
          "gcppubsub takes its identity from the server, and is not for an entry of an application's namespace",
        ]
      : [],
  create(config, tools) {
    const ask = tools.asker();
    const authorize = authorizer(config, tools);
    // As Google's own clients do.
    const emulator = tools.environment.PUBSUB_EMULATOR_HOST;
    const host = emulator ? `http://${emulator}` : "https://pubsub.googleapis.com";
    return async ({ message = "", gcppubsub: part }, recipient, signal) => {
      const topic = recipient || config.topic;
      if (!topic) throw new Error("there is no topic: neither the entry nor the recipient names one");
      const [project, name] = [config.project, topic].map(encodeURIComponent);
      const attributes =
        part && Object.keys(part.attributes).length > 0 ? { attributes: part.attributes } : {};
      const body = JSON.stringify({
        messages: [{ data: Buffer.from(message).toString("base64"), ...attributes }],
      });
      const headers = { ...jsonHeaders, ...(emulator ? {} : await authorize(signal)) };
      const url = `${host}/v1/projects/${project}/topics/${name}:publish`;
      expectSuccess(await ask(url, { method: "POST", headers, body }, signal));
    };
  },
});

function authorizer({ keyFile }: Config, { clock, environment, hide }: Tools) {
  const tokens = new TokenCache(clock);
  const file = keyFile ? { GOOGLE_APPLICATION_CREDENTIALS: keyFile } : {};
  const settings = new Settings({}, { ...environment, ...file });
  return async (signal: AbortSignal) => {
    const { token } = await readGoogleToken(settings, { clock, signal, tokens });
    hide(token);
    return { authorization: `Bearer ${token}` };
  };
}
