import { formatSyncOption } from "@capstan/model";
import type { SyncRequest } from "@capstan/wire";
import type { Api } from "../../api.ts";
import { defineCommand, ExitError, type FlagValues, type ShippedPlugins, UsageError } from "../../command.ts";
import type { Io } from "../../io.ts";
import { listPairs } from "../../read-pairs.ts";
import { allowPrune } from "./allow-prune.ts";
import { type AppRef, onApp, selectApps } from "./app-name.ts";
import { finishOperation } from "./finish-operation.ts";
import { readSelection } from "./resource-selection.ts";
import { readRevisions } from "./source-position.ts";
import { syncFlags } from "./sync-flags.ts";
import { readPlan, showPlan } from "./sync-plan.ts";

export default defineCommand({
  usage: "[APPNAME...]",
  help: "Bring the cluster to what git says, and wait until that is done.",
  examples: [
    "capstan app sync guestbook",
    "capstan app sync guestbook --prune --dry-run",
    "capstan app sync -l team=web --async",
    "capstan app sync guestbook --resource apps:Deployment:web",
  ],
  argument: "application",
  arity: [0, 1000],
  flags: syncFlags,
  async run({ args, flags, io, api, shippedPlugins }) {
    const client = await api();
    const refs = await selectApps(client, {
      names: args,
      selector: flags.selector,
      projects: flags.project,
      namespace: flags["app-namespace"],
    });
    if (refs.length > 1 && (flags.revision || flags.revisions || flags.local))
      throw new UsageError("--revision, --revisions and --local need exactly one application");
    let code = 0;
    for (const ref of refs) code = Math.max(code, await syncOne(client, ref, { flags, io, shippedPlugins }));
    return code;
  },
});

interface Options {
  flags: FlagValues<typeof syncFlags>;
  io: Io;
  shippedPlugins(): Promise<ShippedPlugins>;
}

async function syncOne(api: Api, ref: AppRef, options: Options): Promise<number> {
  const { flags, io } = options;
  const request = { ...ref, ...(await makeRequest(api, ref, options)) };
  if (flags["preview-changes"]) {
    if (!(await isPreviewAccepted(api, request, options))) return 0;
  } else if (flags["dry-run"]) await showPlan(io, () => readPlan(api, request));
  await onApp(api, ref, () => api.call("syncApplication", request));
  if (flags.async) return 0;
  return finishOperation(api, {
    ref,
    io,
    timeoutMs: flags.timeout,
    output: flags.output,
    isDryRun: flags["dry-run"] ?? false,
  });
}

async function makeRequest(
  api: Api,
  ref: AppRef,
  { flags, io, shippedPlugins }: Options,
): Promise<SyncRequest> {
  const resources = await readSelection(api, ref, {
    patterns: flags.resource ?? [],
    labels: flags.label ?? [],
  });
  const { local: folder } = flags;
  const manifests =
    folder === undefined
      ? undefined
      : await (await import("./local-manifests.ts")).localManifests(ref, {
          ...{ io, api, shippedPlugins, folder, flags },
        });
  const items = syncOptions(flags);
  const force = flags.force ?? false;
  return {
    strategy: flags.strategy === "apply" ? { apply: { force } } : { hook: { force } },
    ...(flags.prune ? { prune: true } : {}),
    ...(flags["dry-run"] ? { dryRun: true } : {}),
    ...(await readRevisions(api, ref, flags)),
    ...(resources ? { resources } : {}),
    ...(manifests ? { manifests } : {}),
    ...(items.length > 0 ? { syncOptions: { items } } : {}),
    ...(flags.info ? { infos: listPairs("info", flags.info) } : {}),
    ...retry(flags),
  };
}

/** These replace the application's own list, as in Argo CD (server/application Sync). */
function syncOptions(flags: Options["flags"]): string[] {
  const { "server-side": serverSide } = flags;
  return [
    ...(flags.replace ? [formatSyncOption("Replace", true)] : []),
    ...(serverSide === undefined ? [] : [formatSyncOption("ServerSideApply", serverSide)]),
    ...(flags["apply-out-of-sync-only"] ? [formatSyncOption("ApplyOutOfSyncOnly", true)] : []),
  ];
}

function retry(flags: Options["flags"]): Pick<SyncRequest, "retryStrategy"> {
  const limit = flags["retry-limit"];
  if (!limit) return {};
  const inSeconds = (ms: number | undefined, fallback: string): string =>
    ms === undefined ? fallback : `${ms / 1000}s`;
  return {
    retryStrategy: {
      limit,
      backoff: {
        duration: inSeconds(flags["retry-backoff-duration"], "5s"),
        factor: flags["retry-backoff-factor"] ?? 2,
        maxDuration: inSeconds(flags["retry-backoff-max-duration"], "3m0s"),
      },
      ...(flags["retry-refresh"] ? { refresh: true } : {}),
    },
  };
}

async function isPreviewAccepted(
  api: Api,
  request: AppRef & SyncRequest,
  { flags, io }: Options,
): Promise<boolean> {
  const plan = await readPlan(api, request);
  io.out(`${plan.text}\n`);
  for (const problem of plan.blockedBy) io.err(`blocked: ${problem}\n`);
  for (const warning of plan.warnings) io.err(`warning: ${warning}\n`);
  const { create, update, delete: deletes, hook } = plan.counts;
  if (create + update + deletes + hook === 0) {
    io.out("====== No Differences found ======\n");
    return false;
  }
  if (flags.assumeYes) return true;
  if (!io.errIsTerminal)
    throw new ExitError("no terminal to ask at: give --assumeYes to go on without a question", 20);
  const held = flags.prune && !flags["dry-run"] ? plan.heldPrunes : undefined;
  const what = held ? "Sync these changes, and prune what is held," : "Sync these changes";
  const answer = await io.ask(`${what} to application '${request.name}'? (y/n): `, { hidden: false });
  const isAccepted = /^y(es)?$/i.test(answer.trim());
  if (isAccepted && held) await allowPrune(api, request, { code: held.code, io });
  return isAccepted;
}
