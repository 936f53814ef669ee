import type { Application, ResourceNode } from "@capstan/model";
import type { Api } from "../../api.ts";
import type { Flag } from "../../command.ts";
import type { Io } from "../../io.ts";
import { appSummary, conditionTable, operationSummary, resourceTable } from "../../output/app-summary.ts";
import { painter } from "../../output/paint.ts";
import { isObjectFormat, printObject } from "../../output/print-object.ts";
import { formatTree } from "../../output/tree.ts";
import type { AppRef } from "./app-name.ts";

/** How one application is shown. */
export const appOutput = {
  kind: "string",
  short: "o",
  help: "Output format",
  choices: ["wide", "tree", "tree=detailed", "json", "yaml"],
  byDefault: "wide",
} as const satisfies Flag;

export interface Shown {
  readonly ref: AppRef;
  readonly io: Io;
  readonly output: string | undefined;
}

/** A table of an application's resources, or the tree of all that belongs to it. */
export async function showResources(api: Api, app: Application, { ref, io, output }: Shown): Promise<void> {
  const paint = painter(io);
  if (!output?.startsWith("tree")) {
    io.out(resourceTable(app, paint));
    return;
  }
  const { nodes = [] } = await api.call("getResourceTree", ref);
  const keyOf = ({ kind, namespace = "", name }: Partial<ResourceNode>) => `${kind}/${namespace}/${name}`;
  const states = new Map((app.status?.resources ?? []).map((one) => [keyOf(one), one.status ?? ""]));
  const stateOf = (node: ResourceNode): string => states.get(keyOf(node)) ?? "";
  const isDetailed = output === "tree=detailed";
  io.out(`\n${formatTree(nodes, { paint, stateOf, isDetailed, nowMs: io.clock.now() })}`);
}

/** How an application is after what was waited for (app.go printFinalStatus). */
export async function showResult(api: Api, app: Application, shown: Shown): Promise<void> {
  const { ref, io, output } = shown;
  if (isObjectFormat(output)) return printObject(io, output, app);
  const paint = painter(io);
  const windows = await api.call("getApplicationSyncWindows", ref);
  io.out(`\n${appSummary(app, { paint, url: api.url, windows })}`);
  io.out(conditionTable(app));
  if (app.status?.operationState) io.out(`\n${operationSummary(app, paint)}`);
  await showResources(api, app, shown);
}
