import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { messageOf } from "@capstan/model";
import type { PluginService, PluginSummary } from "@capstan/wire";
import { ExitError, type Invocation, UsageError } from "../../command.ts";
import { outputFlag } from "../../output/print-object.ts";
import { probeTls } from "../session/probe-tls.ts";
import { openLocalPlugin } from "./local-plugin.ts";
import { openLocalRender, type PluginAccess } from "./local-render.ts";

export const installedFlags = {
  "socket-dir": {
    kind: "string",
    help: "Those whose sockets are in this folder, instead of a running Capstan's",
    value: "DIR",
  },
  address: {
    kind: "string",
    help: "Those that are served at this address or socket; --plaintext where it speaks no TLS",
    value: "HOST:PORT|FILE.sock",
  },
  "token-file": { kind: "string", help: "Token that the address asks for", value: "FILE" },
  "ca-file": {
    kind: "string",
    help: "Authority that the address's certificate must be of (default: any certificate is taken)",
    value: "FILE",
  },
  output: outputFlag(["wide", "json", "yaml"]),
} as const;

type Asking = Pick<Invocation<typeof installedFlags>, "flags" | "io" | "api" | "global" | "shippedPlugins">;

/** Those of a running Capstan, of a folder of sockets, of an address, or the one of a plugin's directory. */
export async function installedPlugins(
  asking: Asking,
  directory?: string,
): Promise<readonly PluginSummary[]> {
  const { flags, io, api } = asking;
  const { "socket-dir": socketDir, address } = flags;
  if (socketDir !== undefined && address !== undefined)
    throw new UsageError("--socket-dir and --address: name one of them");
  const isLocal = directory !== undefined && existsSync(directory);
  if (!isLocal && socketDir === undefined && address === undefined)
    return (await (await api()).call("listPlugins", {})).plugins;
  await using opened = new AsyncDisposableStack();
  const plugin = isLocal ? opened.use(await openLocalPlugin(directory, io)) : undefined;
  const isSocket = address?.endsWith(".sock") === true;
  const place = isSocket ? dirname(address) : socketDir;
  const folder = place === undefined ? undefined : resolve(place);
  const service = address === undefined || isSocket ? undefined : await readService(address, asking);
  // One that ships would stand for another of its name; of a tool an installed one is preferred.
  const shipped = (await asking.shippedPlugins()).filter(({ tool }) => tool);
  const options = { io, shipped, folder: ".", url: "file://.", sockets: plugin?.sockets ?? folder };
  const renderer = opened.use(await openLocalRender({ ...options, ...(service ? { service } : {}) }));
  const all = await renderer.plugins();
  if (plugin) return all.filter(({ name }) => name === plugin.name);
  const installed = all.filter(({ origin }) => origin === "installed");
  const about = { address: address ?? "", asking };
  if (!isSocket) return socketDir === undefined ? found(installed, about) : all;
  const own = installed.filter(({ name }) => name === basename(address, ".sock"));
  return found(own.length > 0 || !existsSync(address) ? own : installed, about);
}

/** Of one that does nothing nothing is known but why. */
async function found(
  plugins: readonly PluginSummary[],
  { address, asking }: { address: string; asking: Asking },
): Promise<readonly PluginSummary[]> {
  const answered = plugins.filter(({ shapes }) => shapes.length > 0);
  if (answered.length > 0) return answered;
  const authorityFile = asking.flags["ca-file"];
  const shown = authorityFile === undefined ? "" : ` with a certificate of ${authorityFile} for that host`;
  const hint = address.endsWith(".sock") ? "" : await tlsHint(address, asking);
  throw new ExitError(`no plugin answers at ${address}${shown}${hint}`, 20);
}

/** What to say otherwise, by what the server speaks. */
async function tlsHint(address: string, { global, io }: Asking): Promise<string> {
  const isPlain = global.plaintext === true;
  try {
    const { speaksTls } = await probeTls(new URL(`https://${address}`), {
      authority: undefined,
      signal: io.signal,
    });
    if (speaksTls === isPlain)
      return isPlain ? "; it speaks TLS: leave out --plaintext" : "; it speaks no TLS: say --plaintext";
    return "";
  } catch (error) {
    return `: ${messageOf(error)}`;
  }
}

async function readService(
  address: string,
  { flags, global }: Asking,
): Promise<{ service: PluginService; access: PluginAccess }> {
  const [, host, port] = /^(?:\[?([^\]]*?)\]?):(\d{1,5})$/.exec(address) ?? [];
  if (port === undefined)
    throw new UsageError(`--address: "${address}" is neither HOST:PORT nor the path of a .sock file`);
  const endpoint = { host: host || "127.0.0.1", port: Number(port), process: address, workload: address };
  const { "token-file": tokenFile, "ca-file": authorityFile } = flags;
  return {
    service: { name: address, endpoints: [endpoint], ...(global.plaintext ? { plaintext: true } : {}) },
    access: {
      ...(tokenFile === undefined ? {} : { token: (await readFile(tokenFile, "utf8")).trim() }),
      ...(authorityFile === undefined
        ? {}
        : { authority: { authority: await readFile(authorityFile, "utf8"), from: authorityFile } }),
    },
  };
}
