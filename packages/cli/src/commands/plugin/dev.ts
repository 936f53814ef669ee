import { defineCommand, UsageError } from "../../command.ts";
import type { Attachment, AttachOptions } from "./attach-plugin.ts";
import type { DevSession } from "./dev-session.ts";
import { loadRendering } from "./load-rendering.ts";
import { localFlags, readLocalApp } from "./local-app.ts";
import { markPrinted, openLocalPlugin } from "./local-plugin.ts";
import type { DevPage } from "./serve-dev-page.ts";

export default defineCommand({
  usage: "[DIR]",
  help: "Render a folder again whenever it or the plugin changes, and show what differs.",
  examples: [
    "capstan plugin dev --source ../deployments --path apps/web",
    "capstan plugin dev ./my-plugin --app application.yaml --source . --plugin-parameter replicas=3",
    "capstan plugin dev ./my-plugin --source . --web",
    "capstan plugin dev ./my-plugin --source . --attach ~/.capstan/kubeconfig",
  ],
  argument: "file",
  arity: [0, 1],
  flags: {
    ...localFlags,
    once: { kind: "boolean", help: "Render once and end; exit code 1 when that fails" },
    web: { kind: "boolean", help: "Show the same on a page of this machine" },
    "web-port": { kind: "integer", help: "Port of that page (default any free one)", value: "N" },
    attach: {
      kind: "string",
      help: "Make it a plugin of this cluster's Capstan too, until the command ends",
      value: "KUBECONFIG",
    },
    "attach-host": {
      kind: "string",
      help: "How the cluster reaches this machine (default its address towards the cluster)",
      value: "HOST[:PORT]",
    },
    "attach-namespace": {
      kind: "string",
      help: "Namespace in which that Capstan runs",
      value: "NAMESPACE",
      byDefault: "argocd",
    },
  },
  async run({ args: [directory = "."], flags, io, shippedPlugins, makeCertificate }) {
    const { attach: kubeconfig, "attach-host": host, "attach-namespace": namespace = "argocd" } = flags;
    if (kubeconfig === undefined && (host !== undefined || flags["attach-namespace"] !== undefined))
      throw new UsageError("--attach-host and --attach-namespace need --attach KUBECONFIG");
    let session: DevSession | undefined;
    await using opened = new AsyncDisposableStack();
    const attachment =
      kubeconfig === undefined
        ? undefined
        : opened.use(await attach({ kubeconfig, namespace, host, makeCertificate, io }));
    const onOutput = (text: string): void => (session ? session.hear(text) : io.err(markPrinted(text)));
    const served = attachment?.served;
    const opening = openLocalPlugin(directory, io, { served, onOutput });
    const loading = loadRendering(shippedPlugins);
    const starting = import("./dev-session.ts");
    const plugin = opened.use(await opening);
    const attached = await attachment?.register(plugin.name, plugin.address ?? "");
    const { folder, source } = await readLocalApp(flags, { plugin: plugin.name, io });
    const { sockets } = plugin;
    const { shipped, openLocalRender } = await loading;
    const renderer = opened.use(
      await openLocalRender({ io, shipped, folder, url: source.repoURL, sockets, onStderr: onOutput }),
    );
    const page = flags.web ? opened.use(await servePage(flags["web-port"] ?? 0)) : undefined;
    const show = page?.show ?? (() => undefined);
    const { DevSession: Session } = await starting;
    session = new Session({ plugin, renderer, folder, flags, attached, io, show });
    if (page) io.err(`page: ${page.url}\n`);
    if (attached !== undefined)
      io.err(
        `attached: Service ${attached} leads to ${plugin.address}; applications name plugin ${plugin.name}\n`,
      );
    const isGood = await session.render("start");
    if (flags.once) return isGood ? 0 : 1;
    io.err(`watching ${plugin.folder} and ${folder}; Ctrl-C ends\n`);
    await session.watch();
    return 0;
  },
});

/** What few starts need is loaded by those alone: each module takes its share of a second. */
async function attach(options: AttachOptions): Promise<Attachment> {
  const { openAttachment } = await import("./attach-plugin.ts");
  return openAttachment(options);
}

async function servePage(port: number): Promise<DevPage> {
  const { serveDevPage } = await import("./serve-dev-page.ts");
  return serveDevPage(port);
}
