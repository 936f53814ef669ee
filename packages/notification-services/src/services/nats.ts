import { deadline } from "@capstan/flow";
import { map, object, optional, type Static, string } from "@capstan/model/shapes";
import { NatsConnection } from "../nats/nats-connection.ts";
import { readSeed } from "../nats/nkey.ts";
import { defineService } from "../sending/define-service.ts";

const schema = object({
  url: string(),
  headers: optional(map(string())),
  nkey: optional(string()),
  username: optional(string()),
  password: optional(string()),
});
type Config = Static<typeof schema>;

const defaultPort = 4222;
const timeoutMs = 30_000;

/** Subjects of NATS (pkg/services/nats.go). The recipient is the subject. */
export const nats = defineService({
  type: "nats",
  config: schema,
  secretsOf: ({ nkey, password, url }) => [nkey, password, url.includes("@") ? url : undefined],
  check: problemsOf,
  create: (config, { clock, guarded, authoritiesOf }) => {
    const servers = config.url.split(",").map((url) => serverOf(url.trim()));
    return async ({ message = "" }, subject, signal) => {
      if (!/^[^\s*>]+$/.test(subject)) throw new Error("the recipient is no subject of NATS");
      const late = () => new Error(`NATS did not take the message within ${timeoutMs / 1000} s`);
      using limited = deadline({ clock, signal, ms: timeoutMs, late });
      const needs = { guarded, signal: limited.signal, authoritiesOf };
      const login = loginOf(config);
      let failure: unknown;
      for (const server of servers) {
        try {
          using connection = await NatsConnection.open({ ...server, ...login }, needs);
          await connection.publish(subject, message, config.headers ?? {});
          return;
        } catch (error) {
          limited.signal.throwIfAborted();
          failure = error;
        }
      }
      throw failure;
    };
  },
});

function problemsOf({ url, headers = {}, nkey }: Config): string[] {
  const problems: string[] = [];
  for (const one of url.split(","))
    if (!/^(nats|tls):\/\/[^/]+\/?$/.test(one.trim()))
      problems.push("url is none of NATS: write nats://host:4222");
  for (const [name, value] of Object.entries(headers))
    if (!/^[!-9;-~]+$/.test(name) || /[\r\n]/.test(value))
      problems.push(`headers.${name} is no header of NATS`);
  if (nkey && readSeed(nkey) === undefined)
    problems.push("nkey is no seed of a user's NKey: it begins with SU");
  return problems;
}

function serverOf(address: string) {
  const { protocol, hostname, port, username, password } = new URL(address.replace(/^\w+:/, "http:"));
  const wantsTls = protocol !== "" && address.startsWith("tls:");
  const [name, secret] = [username, password].map(decodeURIComponent);
  const own = name === "" ? {} : secret === "" ? { token: name } : { username: name, password: secret };
  const host = hostname.replace(/^\[|\]$/g, "");
  return {
    host,
    port: port === "" ? (wantsTls ? defaultPort : portOf(address)) : Number(port),
    wantsTls,
    ...own,
  };
}

/** http://host:80 says no port. */
function portOf(address: string): number {
  return /:80\/?$/.test(address) ? 80 : defaultPort;
}

function loginOf({ username, password, nkey }: Config) {
  return {
    ...(username && password ? { username, password } : {}),
    ...(nkey ? { seed: readSeed(nkey) } : {}),
  };
}
