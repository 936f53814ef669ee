/** `capstan local-plugins`: a plugin server that `capstan up` starts, and that ends with it. */
import { once } from "node:events";
import { Socket } from "node:net";
import { defineCommand } from "@capstan/cli/record";
import type { PluginServerOptions } from "./plugin-server/options.ts";
import { providedPath } from "./plugin-server/provided-path.ts";
import { servePlugins } from "./plugin-server/serve-plugins.ts";
import { createLog } from "./surroundings/log.ts";

export interface LocalPluginsSetup {
  readonly flags: PluginServerOptions;
  /** Variables of commands. */
  readonly given: Readonly<Record<string, string>>;
  /** Folders that no command sees. */
  readonly hidden: readonly string[];
  /** The file of a plugin in TypeScript, which is served in place of the flags' folder. */
  readonly program?: string;
}

const socketDescriptor = 3;

export default defineCommand({
  usage: "SETUP",
  help: "Serve the plugins of the process that started this one.",
  argument: "none",
  arity: [1, 1],
  standsAlone: true,
  ownSignals: true,
  flags: {},
  run: ({ args: [setup = ""] }) => serve(setup),
});

/** Its one word is a LocalPluginsSetup as JSON. Says on its socket when it serves, and runs until the other side is closed. */
async function serve(setup: string): Promise<number> {
  const { flags, given, hidden, program }: LocalPluginsSetup = JSON.parse(setup);
  const stopping = new AbortController();
  const socket = new Socket({ fd: socketDescriptor }).resume();
  void once(socket, "close").then(() => stopping.abort(new Error("stopped")));
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => undefined);
  if (program !== undefined) {
    const { serveProgram } = await import("@capstan/plugin-kit/serve");
    const { signal } = stopping;
    await serveProgram(program, {
      socketDir: flags.socketDir,
      signal,
      onServing: () => socket.write("serving\n"),
    });
    return 0;
  }
  const log = createLog({ format: flags.logFormat, level: flags.logLevel, now: Date.now });
  const env = { ...process.env, PATH: await providedPath(process.env) };
  const onServing = (): void => void socket.write("serving\n");
  await servePlugins(flags, { env, given, hidden, log, signal: stopping.signal, onServing });
  return 0;
}
