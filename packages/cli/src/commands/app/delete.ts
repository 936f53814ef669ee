import type { Api } from "../../api.ts";
import { ApiError } from "../../api.ts";
import { defineCommand } from "../../command.ts";
import { confirmOneOf } from "../../confirm.ts";
import { type AppRef, appNamespaceFlag, onApp, selectApps } from "./app-name.ts";
import { watchApp } from "./watch-app.ts";

const all = "[y/n/a] where 'a' is to delete all specified apps without prompting";

export default defineCommand({
  usage: "APPNAME...",
  help: "Delete applications, and what they have deployed unless --cascade=false.",
  examples: ["capstan app delete guestbook", "capstan app delete -l team=web --cascade=false -y"],
  argument: "application",
  arity: [0, 1000],
  flags: {
    cascade: { kind: "boolean", help: "Also delete the resources", byDefault: "true" },
    "propagation-policy": {
      kind: "string",
      short: "p",
      help: "How resources are deleted",
      choices: ["foreground", "background"],
      byDefault: "foreground",
    },
    yes: { kind: "boolean", short: "y", help: "Do not ask" },
    selector: { kind: "string", short: "l", help: "All with these labels", value: "SELECTOR" },
    wait: { kind: "boolean", help: "Wait until they are gone" },
    ...appNamespaceFlag,
  },
  async run({ args, flags, io, api }) {
    const client = await api();
    const refs = await selectApps(client, {
      names: args,
      selector: flags.selector,
      namespace: flags["app-namespace"],
    });
    const { cascade = true, wait, "propagation-policy": propagationPolicy } = flags;
    // Only people are asked, and only where resources go too, as argocd does.
    let asks = cascade && !flags.yes && io.outIsTerminal;
    for (const ref of refs) {
      const name = ref.appNamespace ? `${ref.appNamespace}/${ref.name}` : ref.name;
      const question = `Are you sure you want to delete '${name}' and all its resources?`;
      const answer = asks ? await confirmOneOf(io, question, { isOneOfMany: refs.length > 1, all }) : "yes";
      if (answer === "all") asks = false;
      if (answer === "no") {
        io.out(`The command to delete '${name}' was cancelled.\n`);
        continue;
      }
      await onApp(client, ref, () =>
        client.call("deleteApplication", { ...ref, cascade, propagationPolicy }),
      );
      if (wait) await untilGone(client, ref, io.signal);
      io.out(`application '${name}' deleted\n`);
    }
    return 0;
  },
});

async function untilGone(api: Api, ref: AppRef, signal: AbortSignal): Promise<void> {
  try {
    for await (const event of watchApp(api, ref, signal)) if (event.type === "DELETED") return;
  } catch (error) {
    if (!(error instanceof ApiError) || !error.isNotFound) throw error;
  }
}
