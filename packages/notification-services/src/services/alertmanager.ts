import { integer, list, object, optional, type Static, string } from "@capstan/model/shapes";
import { AnswerError } from "../sending/answer-error.ts";
import { defineService } from "../sending/define-service.ts";
import { jsonHeaders } from "../sending/json.ts";
import { transportKeys } from "../sending/transport-keys.ts";

const schema = object({
  targets: optional(list(string())),
  scheme: optional(string()),
  apiPath: optional(string()),
  basicAuth: optional(object({ username: optional(string()), password: optional(string()) })),
  bearerToken: optional(string()),
  timeout: optional(integer({ minimum: 0 })),
  ...transportKeys,
});
type Config = Static<typeof schema>;

const defaultTargets = ["127.0.0.1:9093"];
const [defaultTimeoutSeconds, longestTimeoutSeconds] = [3, 60];

/** Alerts of Prometheus' Alertmanager: all targets are told, one that takes it is enough (pkg/services/alertmanager.go). */
export const alertmanager = defineService({
  type: "alertmanager",
  config: schema,
  secretsOf: (config) => [
    config.basicAuth?.password,
    config.bearerToken,
    authorizationOf(config).authorization,
  ],
  create(config, { asker, clock }) {
    const ask = asker({ insecure: config.insecureSkipVerify });
    const { targets = [], scheme, apiPath, timeout } = config;
    const headers = { ...jsonHeaders, ...authorizationOf(config) };
    const timeoutMs = Math.min(timeout || defaultTimeoutSeconds, longestTimeoutSeconds) * 1000;
    const urls = (targets.length > 0 ? targets : defaultTargets).map(
      (target) => `${scheme || "http"}://${target}${apiPath || "/api/v2/alerts"}`,
    );
    return async ({ alertmanager: part }, _, signal) => {
      if (!part) throw new Error("the template has no part alertmanager");
      const annotations = Object.keys(part.annotations).length > 0 ? part.annotations : null;
      const startsAt = new Date(clock.now()).toISOString();
      const body = JSON.stringify([{ ...part, annotations, startsAt }]);
      const told = urls.map(async (url) => {
        const answer = await ask(url, { method: "POST", headers, body, timeoutMs }, signal);
        if (answer.status !== 200) throw new AnswerError(answer);
      });
      const outcomes = await Promise.allSettled(told);
      if (outcomes.some(({ status }) => status === "fulfilled")) return;
      for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    };
  },
});

function authorizationOf({ basicAuth, bearerToken }: Config): { authorization?: string } {
  if (basicAuth) {
    const { username = "", password = "" } = basicAuth;
    return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
  }
  return bearerToken ? { authorization: `Bearer ${bearerToken}` } : {};
}
