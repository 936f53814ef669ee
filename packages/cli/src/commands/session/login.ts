import { fetchFor, openApi } from "../../client/connect.ts";
import type { SsoTokens } from "../../client/sso-provider.ts";
import { defineCommand, ExitError, type GlobalValues, UsageError } from "../../command.ts";
import { withLogin } from "../../config/change-config.ts";
import { type ConfigServer, readConfig, writeConfig } from "../../config/config-file.ts";
import { configPath } from "../../config/config-path.ts";
import {
  forwardedAddress,
  givenCertificates,
  isForwarded,
  isLoopback,
  portForward,
  refuseCore,
  type ServerAccess,
  serverUrl,
} from "../../config/find-server.ts";
import { confirm } from "../../confirm.ts";
import type { Io } from "../../io.ts";
import { displayName, readClaims } from "../../token-claims.ts";
import { passwordLogin } from "./password-login.ts";
import { probeTls } from "./probe-tls.ts";
import { ssoFlags, ssoLogin } from "./sso-login.ts";

export default defineCommand({
  usage: "SERVER",
  help: "Log in to a server and keep the token in the configuration, which is argocd's too.",
  examples: ["capstan login localhost:8080 --username admin", "capstan login capstan.example --insecure"],
  argument: "none",
  arity: [0, 1],
  flags: {
    username: { kind: "string", help: "User", value: "NAME" },
    password: { kind: "string", help: "Password; asked for when absent", value: "TEXT" },
    name: { kind: "string", help: "Name of the context", value: "NAME", byDefault: "the server" },
    sso: { kind: "boolean", help: "Through the identity provider, in a browser" },
    ...ssoFlags,
    "skip-test-tls": { kind: "boolean", help: "Do not find out first whether the server speaks TLS" },
  },
  async run({ args, flags, io, global }) {
    refuseCore(global);
    const isThroughCluster = isForwarded(global);
    const given = isThroughCluster ? await forwardedAddress(io, global) : (args[0] ?? global.server ?? "");
    if (given === "") throw new UsageError("name the server: capstan login SERVER");
    const path = await configPath(io, global);
    const config = await readConfig(path);
    const access = await reach(io, global, { given, skipTest: flags["skip-test-tls"] ?? false });
    const api = await openApi(io, global, { access, token: async () => undefined });
    const { token, refreshToken }: SsoTokens = flags.sso
      ? await ssoLogin(io, { api, flags, fetch: await fetchFor({ ...access, insecure: false }) })
      : { token: await passwordLogin(api, io, { username: flags.username, password: flags.password }) };
    io.out(`'${displayName(readClaims(token))}' logged in successfully\n`);
    const server = { ...entryOf(access, global), ...(isThroughCluster ? { server: portForward } : {}) };
    const root = server["grpc-web-root-path"];
    const context = flags.name || (root ? `${server.server}/${root}` : server.server);
    await writeConfig(path, withLogin(config, { context, server, token, refreshToken }));
    io.out(`Context '${context}' updated\n`);
    return 0;
  },
});

/** How the server is to be spoken to, found out by asking it unless that is said. */
async function reach(
  io: Io,
  global: GlobalValues,
  { given, skipTest }: { given: string; skipTest: boolean },
): Promise<ServerAccess> {
  const certificates = await givenCertificates(global);
  const access = (plaintext: boolean, insecure = global.insecure ?? false): ServerAccess => ({
    url: serverUrl(given, { ...global, plaintext }),
    token: undefined,
    insecure,
    ...certificates,
  });
  if (/^https?:\/\//.test(given) || global.plaintext || skipTest) return access(global.plaintext ?? false);
  const { authority } = certificates;
  const url = new URL(serverUrl(given, {}));
  const { speaksTls, problem } = await probeTls(url, { authority, signal: io.signal });
  if (!speaksTls) {
    await proceed(io, {
      isSafe: isLoopback(given),
      warning: "server is not configured with TLS. Proceed",
      flag: "--plaintext",
    });
    return access(true);
  }
  if (problem === undefined || global.insecure) return access(false);
  // Nobody listens in between on this machine, whose server has a certificate of its own making.
  if (isLoopback(given) && (await answersPlainly(given, io))) return access(true);
  await proceed(io, {
    isSafe: false,
    warning: `server certificate had error: ${problem}. Proceed insecurely`,
    flag: "--insecure, or its authority with --server-crt",
  });
  return access(false, true);
}

async function answersPlainly(address: string, io: Io): Promise<boolean> {
  const url = `${serverUrl(address, { plaintext: true })}/api/version`;
  return fetch(url, { redirect: "manual", signal: io.signal }).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function proceed(
  io: Io,
  { isSafe, warning, flag }: { isSafe: boolean; warning: string; flag: string },
): Promise<void> {
  if (isSafe) return;
  if (!io.errIsTerminal) throw new ExitError(`${warning.replace(/\. Proceed.*$/, "")}: give ${flag}`, 20);
  if (!(await confirm(io, `WARNING: ${warning}`))) throw new UsageError("not logged in");
}

/** As the file has a server; what vouches for it is kept with it. */
function entryOf(
  { url, insecure, authority, clientCertificate: own }: ServerAccess,
  global: GlobalValues,
): ConfigServer {
  const { protocol, host } = new URL(url);
  const root = (global["grpc-web-root-path"] ?? "").replace(/^\/+|\/+$/g, "");
  return {
    server: host,
    "grpc-web-root-path": root,
    ...(insecure ? { insecure } : {}),
    ...(protocol === "http:" ? { "plain-text": true } : {}),
    ...(global["grpc-web"] ? { "grpc-web": true } : {}),
    ...(authority ? { "certificate-authority-data": toBase64(authority) } : {}),
    ...(own
      ? {
          "client-certificate-data": toBase64(own.certificate),
          "client-certificate-key-data": toBase64(own.key),
        }
      : {}),
  };
}

function toBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}
