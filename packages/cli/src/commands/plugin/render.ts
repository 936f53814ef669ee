import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { dumpYaml } from "@capstan/formats/yaml";
import { defineCommand } from "../../command.ts";
import { isObjectFormat, outputFlag, printObject } from "../../output/print-object.ts";
import { loadRendering } from "./load-rendering.ts";
import { localFlags, readLocalApp } from "./local-app.ts";
import { openLocalPlugin } from "./local-plugin.ts";

export default defineCommand({
  usage: "",
  help: "Print the manifests that a plugin makes of a folder. Needs no cluster and no server.",
  examples: [
    "capstan plugin render --plugin ./my-plugin --source ../deployments --path apps/web",
    "capstan plugin render --plugin helm --source . --path chart",
    "ARGOCD_APP_NAME=web capstan plugin render --plugin ./my-plugin --plugin-parameter replicas=3",
  ],
  argument: "none",
  arity: [0, 0],
  flags: {
    plugin: {
      kind: "string",
      help: "A directory with plugin.ts or plugin.yaml, or a plugin's name; without it the files decide",
      value: "DIR|NAME",
    },
    "socket-dir": {
      kind: "string",
      help: "Where a plugin of that name is served (ARGOCD_PLUGINSOCKFILEPATH)",
      value: "DIR",
    },
    ...localFlags,
    output: outputFlag(["yaml", "json"], "yaml"),
  },
  async run({ flags, io, shippedPlugins }) {
    await using opened = new AsyncDisposableStack();
    const isFolder = flags.plugin !== undefined && existsSync(flags.plugin);
    const opening = isFolder ? openLocalPlugin(flags.plugin ?? "", io) : undefined;
    const loading = loadRendering(shippedPlugins, { ofProgram: isFolder });
    const local = opening && opened.use(await opening);
    const app = await readLocalApp(flags, { plugin: local?.name ?? flags.plugin, io });
    const folder = flags["socket-dir"] ?? io.env.ARGOCD_PLUGINSOCKFILEPATH;
    const sockets = local?.sockets ?? (folder === undefined ? undefined : resolve(folder));
    const { shipped, openLocalRender } = await loading;
    const onStderr = io.err;
    const renderer = opened.use(
      await openLocalRender({ io, shipped, folder: app.folder, url: app.source.repoURL, sockets, onStderr }),
    );
    const manifests = await renderer.manifests(app);
    if (isObjectFormat(flags.output) && flags.output === "json") await printObject(io, "json", manifests);
    else for (const manifest of manifests) io.out(`---\n${dumpYaml(manifest)}`);
    return 0;
  },
});
