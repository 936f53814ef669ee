import { parseNanoseconds, withoutEndSlashes } from "@capstan/formats";
import { integer, intOrString, list, object, optional, type Static, string } from "@capstan/model/shapes";
import type { Notification } from "../notification.ts";
import { expectSuccess } from "../sending/answer-error.ts";
import { askAgain } from "../sending/ask-again.ts";
import { defineService } from "../sending/define-service.ts";
import { transportKeys } from "../sending/transport-keys.ts";

const schema = object({
  url: string(),
  headers: optional(list(object({ name: string(), value: optional(string()) }))),
  basicAuth: optional(object({ username: optional(string()), password: optional(string()) })),
  retryWaitMin: optional(intOrString()),
  retryWaitMax: optional(intOrString()),
  retryMax: optional(integer()),
  ...transportKeys,
});
type Config = Static<typeof schema>;

const defaults = { retryWaitMin: 1000, retryWaitMax: 5000, retryMax: 3 };
/** Of waits: no entry may hold up the messages of others. */
const longestWaitMs = 60_000;
const mostRetries = 10;
/** Go's client leaves them out too (net/http reqWriteExcludeHeader). */
const ofTheConnection = ["host", "content-length", "transfer-encoding", "trailer"];

/** Any HTTP server (pkg/services/webhook.go). */
export const webhook = defineService({
  type: "webhook",
  config: schema,
  secretsOf: ({ url, headers = [], basicAuth }) => {
    const { username = "", password = "" } = basicAuth ?? {};
    return [secretPartOf(url), password, basic(username, password), ...headers.map(({ value }) => value)];
  },
  check: checkEntry,
  warn: warnOfEntry,
  create(config, { clock, name, asker }) {
    const ask = asker({ insecure: config.insecureSkipVerify });
    const headers = headersOf(config);
    const again = {
      retries: Math.min(config.retryMax || defaults.retryMax, mostRetries),
      firstPauseMs: waitOf(config, "retryWaitMin"),
      longestPauseMs: waitOf(config, "retryWaitMax"),
    };
    return async (notification, _, signal) => {
      const { url, method, body } = requestOf(config.url, notification, name);
      const redirects = method === "GET" ? "anywhere" : "none";
      const asked = {
        method,
        headers,
        redirects,
        ...(body === "" && method === "GET" ? {} : { body }),
      } as const;
      expectSuccess(await askAgain(() => ask(url, asked, signal), { ...again, clock, signal }));
    };
  },
});

/** The template's part is found by the service's name; without one the message goes by GET. */
function requestOf(address: string, { message = "", webhook = {} }: Notification, name: string) {
  const part = Object.hasOwn(webhook, name) ? webhook[name] : undefined;
  if (part === undefined) return { url: address, method: "GET", body: message };
  const { method, body, path } = part;
  const url = path === "" ? address : `${withoutEndSlashes(address)}/${path.replace(/^\/+/, "")}`;
  return { url, method: method === "" ? "GET" : method, body };
}

function headersOf({ headers = [], basicAuth }: Config): Record<string, string> {
  const sent = headers
    .map(({ name, value = "" }) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !ofTheConnection.includes(name));
  const { username = "", password = "" } = basicAuth ?? {};
  const auth = basicAuth ? { authorization: `Basic ${basic(username, password)}` } : {};
  return { ...Object.fromEntries(sent), ...auth };
}

const basic = (username: string, password: string) =>
  Buffer.from(`${username}:${password}`).toString("base64");

/** A webhook's address mostly holds a token: in its path, its query or before its host. */
function secretPartOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { pathname, search, username } = new URL(url);
  return pathname.length > 1 || search !== "" || username !== "" ? url : undefined;
}

/** A number is of nanoseconds, as Go reads it; a text is a duration, as Argo CD's pages write it. */
function waitOf(config: Config, key: "retryWaitMin" | "retryWaitMax"): number {
  const given = config[key];
  const nanoseconds = typeof given === "string" ? parseNanoseconds(given) : given;
  return Math.min(nanoseconds ? Number(nanoseconds) / 1e6 : defaults[key], longestWaitMs);
}

function checkEntry(config: Config): string[] {
  const isBad = (given: string | number | undefined) =>
    typeof given === "string" ? (parseNanoseconds(given) ?? -1n) < 0n : given !== undefined && given < 0;
  const problems = (["retryWaitMin", "retryWaitMax"] as const)
    .filter((key) => isBad(config[key]))
    .map((key) => `${key} is no duration; write it as 5s`);
  if ((config.retryMax ?? 0) < 0) problems.push("retryMax must be at least 0");
  if (!/^https?:\/\//i.test(config.url) || !URL.canParse(config.url))
    problems.push("url is no address of HTTP: write it as https://example.com/hook");
  return problems;
}

function warnOfEntry(config: Config): string[] {
  const { headers = [], retryMax = 0 } = config;
  const dropped = headers.filter(({ name }) => ofTheConnection.includes(name.toLowerCase()));
  return [
    ...dropped.map(({ name }) => `headers: ${name} has no effect: it is the connection's own`),
    ...(retryMax > mostRetries ? [`retryMax ${retryMax} is taken for ${mostRetries}, the most`] : []),
  ];
}
