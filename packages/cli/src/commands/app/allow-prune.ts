import { formatAllowance } from "@capstan/engine";
import { formatTime } from "@capstan/formats";
import { annotationKeys } from "@capstan/model";
import type { Api } from "../../api.ts";
import { defineCommand, UsageError } from "../../command.ts";
import { confirm } from "../../confirm.ts";
import type { Io } from "../../io.ts";
import { type AppRef, appNamespaceFlag, onApp, readAppName } from "./app-name.ts";

export default defineCommand({
  usage: "APPNAME [CODE]",
  help: "Let the next sync prune what the prune budget holds. The code is in the application's condition; without it, the plan is shown and asked about.",
  examples: [
    "capstan app allow-prune guestbook",
    "capstan app allow-prune guestbook 18-0123456789abcdef0123",
  ],
  argument: "application",
  arity: [1, 2],
  flags: {
    revision: {
      kind: "string",
      help: "What to prune for, instead of the application's revision",
      value: "REVISION",
    },
    ...appNamespaceFlag,
  },
  async run({ args: [name = "", given], flags, io, api }) {
    if (given !== undefined && !/^\d+-[0-9a-f]{20}$/.test(given))
      throw new UsageError(`"${given}" is no such code; capstan app get ${name} shows it`);
    const client = await api();
    const ref = readAppName(name, flags["app-namespace"]);
    const code = given ?? (await askAbout(client, ref, { io, revision: flags.revision }));
    if (code === undefined) return 0;
    await allowPrune(client, ref, { code, io });
    io.out(`Application '${ref.name}' may prune ${code.split("-")[0]} objects once, within a day\n`);
    return 0;
  },
});

interface Asking {
  io: Io;
  revision: string | undefined;
}

async function askAbout(api: Api, ref: AppRef, { io, revision }: Asking): Promise<string | undefined> {
  const request = { ...ref, prune: true, ...(revision === undefined ? {} : { revision }) };
  const plan = await onApp(api, ref, () => api.call("previewSyncRequest", request));
  if (!plan.heldPrunes) {
    io.out(`Nothing that application '${ref.name}' would prune is held\n`);
    return undefined;
  }
  io.err(`${plan.text}\n`);
  return (await confirm(io, "Let the next sync prune these objects?")) ? plan.heldPrunes.code : undefined;
}

/** Consents to what the code names, from now on. */
export async function allowPrune(
  api: Api,
  ref: AppRef,
  { code, io }: { code: string; io: Io },
): Promise<void> {
  const allowed = formatAllowance(code, formatTime(io.clock.now()));
  const patch = JSON.stringify({ metadata: { annotations: { [annotationKeys.pruneAllowed]: allowed } } });
  await onApp(api, ref, () => api.call("patchApplication", { ...ref, patch, patchType: "merge" }));
}
