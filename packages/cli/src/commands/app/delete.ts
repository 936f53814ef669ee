import type { Api } from "../../api.ts";
import { ApiError } from "../../api.ts";
import { defineCommand, ExitError, UsageError } from "../../command.ts";
import type { Io } from "../../io.ts";
import { type AppRef, onApp, selectApps } from "./app-name.ts";
import { watchApp } from "./watch-app.ts";

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
    "app-namespace": { kind: "string", short: "N", help: "Namespace of the application", value: "NAMESPACE" },
  },
  async run({ args, flags, io, api }) {
    const client = await api();
    const refs = await selectApps(client, {
      names: args,
      selector: flags.selector,
      namespace: flags["app-namespace"],
    });
    if (refs.length === 0) throw new UsageError("name applications or select them with -l");
    const cascade = flags.cascade ?? true;
    for (const ref of refs) {
      const consequence = cascade ? "and all of its resources" : "and leave its resources";
      if (!flags.yes && !(await isConfirmed(io, `Delete application '${ref.name}' ${consequence}? [y/N] `))) {
        io.out(`The command to delete '${ref.name}' was cancelled.\n`);
        continue;
      }
      const propagationPolicy = flags["propagation-policy"];
      await onApp(client, ref, () =>
        client.call("deleteApplication", { ...ref, cascade, propagationPolicy }),
      );
      if (flags.wait) await untilGone(client, ref, io.signal);
      io.out(`application '${ref.name}' deleted\n`);
    }
    return 0;
  },
});

async function isConfirmed(io: Io, question: string): Promise<boolean> {
  if (!io.errIsTerminal)
    throw new ExitError("no terminal to ask at: give --yes to delete without a question", 20);
  return /^y(es)?$/i.test((await io.ask(question, { hidden: false })).trim());
}

async function untilGone(api: Api, ref: AppRef, signal: AbortSignal): Promise<void> {
  try {
    for await (const event of watchApp(api, ref, signal)) if (event.type === "DELETED") return;
  } catch (error) {
    if (!(error instanceof ApiError) || !error.isNotFound) throw error;
  }
}
