import type { Application } from "@capstan/model";
import type { Api } from "../../api.ts";
import { ExitError } from "../../command.ts";
import type { Io } from "../../io.ts";
import { resourceStates } from "../../output/app-summary.ts";
import { isObjectFormat } from "../../output/print-object.ts";
import { withTimeout } from "../../with-timeout.ts";
import type { AppRef } from "./app-name.ts";
import { describeWait } from "./describe-wait.ts";
import { ResourceProgress } from "./resource-progress.ts";
import { showResult } from "./show-resources.ts";
import { watchApp } from "./watch-app.ts";

interface Finish {
  ref: AppRef;
  io: Io;
  timeoutMs: number | undefined;
  output: string | undefined;
  /** The operation asked for a dry run: nothing has to become Synced. */
  isDryRun?: boolean;
}

/** Waits for the running operation, prints how the application is, and fails when it failed (app.go NewApplicationSyncCommand). */
export async function finishOperation(
  api: Api,
  { ref, io, timeoutMs, output, isDryRun = false }: Finish,
): Promise<number> {
  const progress = isObjectFormat(output) ? undefined : new ResourceProgress(io);
  let last: Application | undefined;
  const see = (seen: Application): void => {
    last = seen;
    progress?.show(seen);
  };
  const describe = (): string => describeWait(ref.name, last);
  const app = await withTimeout(io, { timeoutMs, describe }, (signal) =>
    untilOperationDone(api, { ref, signal, see }),
  );
  await showResult(api, app, { ref, io, output });
  const state = app.status?.operationState;
  if (state && state.phase !== "Succeeded")
    throw new ExitError(
      `Operation has completed with phase: ${state.phase}${state.message ? `: ${state.message}` : ""}`,
      20,
    );
  const needsPruning = resourceStates(app).filter(({ message }) => message.includes("requires pruning"));
  if (!isDryRun && app.status?.sync?.status === "OutOfSync" && needsPruning.length > 0)
    throw new ExitError(`${needsPruning.length} resources require pruning`, 20);
  return 0;
}

async function untilOperationDone(
  api: Api,
  { ref, signal, see }: { ref: AppRef; signal: AbortSignal; see: (app: Application) => void },
): Promise<Application> {
  for await (const { type, application } of watchApp(api, ref, signal)) {
    if (type === "DELETED") throw new ExitError(`application "${ref.name}" was deleted`, 20);
    see(application);
    if (!isOperationFinished(application)) continue;
    const app = await comparedAfter(api, application, { ref, signal });
    see(app);
    return app;
  }
  throw new ExitError("the stream ended", 20);
}

export function isOperationFinished({ operation, status }: Application): boolean {
  if (operation) return false;
  const state = status?.operationState;
  return state === undefined || state.finishedAt !== undefined;
}

/** The application as compared after its operation, so that its status tells what the operation has achieved. */
export async function comparedAfter(
  api: Api,
  app: Application,
  { ref, signal }: { ref: AppRef; signal: AbortSignal },
): Promise<Application> {
  const { operationState: state, reconciledAt } = app.status ?? {};
  if (!state?.finishedAt || state.operation.sync?.dryRun) return app;
  if (reconciledAt !== undefined && Date.parse(reconciledAt) > Date.parse(state.finishedAt)) return app;
  return api.call("getApplication", { ...ref, refresh: "normal" }, signal);
}
