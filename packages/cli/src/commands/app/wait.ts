import type { Application } from "@capstan/model";
import { type Api, ApiError } from "../../api.ts";
import { defineCommand, type FlagValues } from "../../command.ts";
import type { Io } from "../../io.ts";
import { isObjectFormat } from "../../output/print-object.ts";
import { withTimeout } from "../../with-timeout.ts";
import { type AppRef, selectApps } from "./app-name.ts";
import { describeWait } from "./describe-wait.ts";
import { comparedAfter, isOperationFinished } from "./finish-operation.ts";
import { ResourceProgress } from "./resource-progress.ts";
import { parsePattern } from "./resource-selection.ts";
import { appOutput, showResult } from "./show-resources.ts";
import { watchApp } from "./watch-app.ts";

const waitFlags = {
  sync: { kind: "boolean", help: "Until Synced" },
  health: { kind: "boolean", help: "Until Healthy" },
  operation: { kind: "boolean", help: "Until no operation runs" },
  suspended: { kind: "boolean", help: "Until Suspended" },
  degraded: { kind: "boolean", help: "Until Degraded" },
  delete: { kind: "boolean", help: "Until it is gone" },
  hydrated: { kind: "boolean", help: "Until hydrated" },
  timeout: { kind: "duration", help: "Give up after this time", value: "SECONDS" },
  selector: { kind: "string", short: "l", help: "All applications with these labels", value: "SELECTOR" },
  resource: { kind: "strings", help: "Only this resource, GROUP:KIND:[NAMESPACE/]NAME", value: "RESOURCE" },
  output: appOutput,
  "app-namespace": { kind: "string", short: "N", help: "Namespace of the applications", value: "NAMESPACE" },
} as const;

export default defineCommand({
  usage: "[APPNAME...]",
  help: "Wait until applications are as wanted; without a condition: Synced, Healthy and no operation running.",
  examples: ["capstan app wait guestbook --timeout 120", "capstan app wait -l team=web --health"],
  argument: "application",
  arity: [0, 1000],
  flags: waitFlags,
  async run({ args, flags, io, api }) {
    const client = await api();
    const refs = await selectApps(client, {
      names: args,
      selector: flags.selector,
      namespace: flags["app-namespace"],
    });
    /** Those that are still waited for. */
    const open = new Map<AppRef, Application | undefined>(refs.map((ref) => [ref, undefined]));
    const describe = (): string => [...open].map(([{ name }, app]) => describeWait(name, app)).join("\n");
    await withTimeout(io, { timeoutMs: flags.timeout, describe }, (signal) =>
      Promise.all(
        refs.map(async (ref) => {
          const see = (app: Application) => void open.set(ref, app);
          await waitForOne(client, ref, { flags, io, signal, see });
          open.delete(ref);
        }),
      ),
    );
    return 0;
  },
});

interface Waiting {
  flags: FlagValues<typeof waitFlags>;
  io: Io;
  signal: AbortSignal;
  see(app: Application): void;
}

async function waitForOne(api: Api, ref: AppRef, { flags, io, signal, see }: Waiting): Promise<void> {
  const isReady = readiness(flags);
  const { output } = flags;
  const progress = isObjectFormat(output) ? undefined : new ResourceProgress(io);
  try {
    for await (const { type, application } of watchApp(api, ref, signal)) {
      if (type === "DELETED")
        throw new ApiError(`application "${ref.name}" was deleted`, { code: 5, status: 404 });
      see(application);
      progress?.show(application);
      if (!isReady(application)) continue;
      const app = await comparedAfter(api, application, { ref, signal });
      if (isReady(app)) return await showResult(api, app, { ref, io, output });
    }
  } catch (error) {
    if (!flags.delete || !(error instanceof ApiError) || !error.isNotFound) throw error;
    io.out(`application '${ref.name}' deleted\n`);
  }
}

function readiness(flags: FlagValues<typeof waitFlags>): (app: Application) => boolean {
  const { sync, health, operation, suspended, degraded, hydrated } = flags;
  if (flags.delete) return () => false;
  const isDefault = !sync && !health && !operation && !suspended && !degraded && !hydrated;
  const patterns = (flags.resource ?? []).map(parsePattern);
  return (app) => {
    if ((operation || isDefault) && !isOperationFinished(app)) return false;
    const parts = patterns.length > 0 ? chosen(app, patterns) : [app.status ?? {}].map(wholeState);
    return parts.every(
      (part) =>
        (!(sync || isDefault) || part.sync === "Synced") &&
        (!(health || suspended || degraded || isDefault) ||
          isHealthWanted(part.health, { health: health || isDefault, suspended, degraded })),
    );
  };
}

interface State {
  sync: string;
  health: string;
}

function wholeState(status: NonNullable<Application["status"]>): State {
  return { sync: status.sync?.status ?? "", health: status.health?.status ?? "" };
}

function chosen({ status }: Application, patterns: readonly ReturnType<typeof parsePattern>[]): State[] {
  const found = (status?.resources ?? []).filter((one) =>
    patterns.some(
      ({ group, kind, namespace, name }) =>
        (group === "*" || (one.group ?? "") === group) &&
        (kind === "*" || one.kind === kind) &&
        (namespace === "" || namespace === "*" || one.namespace === namespace) &&
        (name === "*" || one.name === name),
    ),
  );
  if (found.length === 0) return [{ sync: "", health: "" }];
  // A kind without health counts as healthy.
  return found.map((one) => ({ sync: one.status ?? "", health: one.health?.status ?? "Healthy" }));
}

/** Any of the wanted healths will do. */
function isHealthWanted(
  is: string,
  {
    health,
    suspended,
    degraded,
  }: { health: boolean; suspended?: boolean | undefined; degraded?: boolean | undefined },
): boolean {
  return (
    (health && is === "Healthy") ||
    (suspended === true && is === "Suspended") ||
    (degraded === true && is === "Degraded")
  );
}
