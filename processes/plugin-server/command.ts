import { defineCommand } from "@capstan/cli/record";
import { systemClock } from "@capstan/flow";
import { pluginServerFlags, readPluginServerOptions } from "./options.ts";

export default defineCommand({
  usage: "",
  help: "Serve plugins (plugin.yaml) to Capstan or to Argo CD's repo-server. A link to this program named\nargocd-cmp-server takes the place of Argo CD's own in a sidecar.",
  notes: `Environment, beside that of the flags:
  ARGOCD_EXEC_TIMEOUT      longest a command may take, as 90s (default: its caller's deadline)
  ARGOCD_GRPC_MAX_SIZE_MB  largest message and output (default 100)
`,
  argument: "none",
  arity: [0, 0],
  standsAlone: true,
  ownSignals: true,
  endings: { prefix: "capstan plugin-server: ", usage: 2, failed: 1, stack: true },
  flags: pluginServerFlags,
  async run({ flags, io: { env } }) {
    const options = readPluginServerOptions(flags, env);
    const stopping = new AbortController();
    for (const name of ["SIGINT", "SIGTERM"] as const)
      process.once(name, () => stopping.abort(new Error("stopped")));
    const [{ servePlugins }, { providedPath }, { createLog }, { followSteps }, own] = await Promise.all([
      import("./serve-plugins.ts"),
      import("./provided-path.ts"),
      import("../surroundings/log.ts"),
      import("../surroundings/follow-steps.ts"),
      import("../surroundings/own-process.ts"),
    ]);
    const log = createLog({ format: options.logFormat, level: options.logLevel, now: Date.now });
    const around = { env: { ...env, PATH: await providedPath(env) }, log, signal: stopping.signal };
    const self = { name: "capstan-plugin-server", version: own.ownVersion(), clock: systemClock, log };
    await using _followed = await followSteps(options, self);
    await servePlugins(options, around);
    return 0;
  },
});
