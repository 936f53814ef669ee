import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock as clock, untilAborted } from "@capstan/flow";
import { followFiles } from "../follow-files.ts";
import type { Log } from "../plugin.ts";
import { readToken } from "../read-pem.ts";
import type { PlacedPlugin } from "../server/plugin-server.ts";
import type { WorkDirectories } from "../server/work-directories.ts";
import type { ServeOptions } from "./serve-options.ts";

const maxMessageBytes = 100 * 2 ** 20;
const maxWaitingRuns = 1_000;
const limits = { maxTreeBytes: 2 ** 30, maxTreeFiles: 200_000 };

/** What a plugin that is served has around it. */
export interface Around {
  readonly clock: Clock;
  readonly log: Log;
  /** Of this process. */
  readonly env: Readonly<Record<string, string>>;
  readonly directories: WorkDirectories;
  readonly signal: AbortSignal;
  /** What ends with the server. */
  readonly opened: AsyncDisposableStack;
}

/** Serves plugins until SIGINT, SIGTERM or the signal, with the events on standard error. */
export async function serveUntilStopped(
  options: ServeOptions,
  place: (around: Around) => Promise<readonly PlacedPlugin[]>,
): Promise<void> {
  // grpc-js and protobuf take time to load, which who only defines or tests a plugin need not wait for.
  const server = await import("../server.ts");
  const stopping = new AbortController();
  const stop = () => stopping.abort(new Error("stopped"));
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, stop);
  const signal = AbortSignal.any([stopping.signal, ...(options.signal ? [options.signal] : [])]);
  await using opened = new AsyncDisposableStack();
  // Also where it does not begin: files would be followed, and the process go on with nothing to do.
  opened.defer(stop);
  const log = jsonLog();
  const means = { clock, log, signal };
  const directories = opened.use(await server.WorkDirectories.create(workFolder(), log));
  const services = { clock, log, limits, directories, queue: new server.RunQueue(maxWaitingRuns) };
  const plugins = await place({ ...means, env: ownEnvironment(), directories, opened });
  const tls = options.tls && (await server.followTls(options.tls, means));
  const { tokenFile, anyoneMayCall = false } = options;
  const readFileToken = ([text = ""]: readonly string[]) => readToken(text, tokenFile ?? "");
  const token = tokenFile && (await followFiles([tokenFile], readFileToken, means));
  const listening = opened.use(
    await server.PluginServer.start(plugins, {
      ...services,
      version: "",
      maxMessageBytes,
      ...(tls ? { tls } : {}),
      ...(token ? { token } : {}),
      anyoneMayCall,
      pluginService: (served) => server.pluginService(served, services),
    }),
  );
  log.info({ addresses: listening.addresses }, "plugin is serving");
  options.onServing?.();
  await untilAborted(signal);
}

export function ownEnvironment(): Record<string, string> {
  return Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]));
}

function workFolder(): string {
  return join(process.env.ARGOCD_CMP_WORKDIR ?? tmpdir(), `_capstan_plugin_${process.pid}`);
}

/** One line of JSON for each event, on standard error as sidecars do. */
function jsonLog(): Log {
  const write = (level: string) => (fields: object, message: string) => {
    const error = "error" in fields && fields.error instanceof Error ? { error: fields.error.message } : {};
    process.stderr.write(
      `${JSON.stringify({ level, time: new Date().toISOString(), message, ...fields, ...error })}\n`,
    );
  };
  return { debug: () => undefined, info: write("info"), warn: write("warn"), error: write("error") };
}
