import { type Application, sourcesOf } from "@capstan/model";
import type { Api } from "../../api.ts";
import { defineCommand } from "../../command.ts";
import type { Io } from "../../io.ts";
import { appSummary, conditionTable, operationSummary } from "../../output/app-summary.ts";
import { painter } from "../../output/paint.ts";
import { parameterTable } from "../../output/parameter-table.ts";
import { isObjectFormat, printObject } from "../../output/print-object.ts";
import { withTimeout } from "../../with-timeout.ts";
import { type AppRef, appNamespaceFlag, fetchApp, readAppName } from "./app-name.ts";
import { describedSources } from "./described-sources.ts";
import { appOutput, showResources } from "./show-resources.ts";
import { sourcePosition } from "./source-position.ts";

export default defineCommand({
  usage: "APPNAME",
  help: "Show one application: what it is, how it is, and its resources.",
  examples: [
    "capstan app get guestbook",
    "capstan app get guestbook --refresh -o tree",
    "capstan app get guestbook --show-params",
  ],
  argument: "application",
  arity: [1, 1],
  flags: {
    output: appOutput,
    refresh: { kind: "boolean", help: "Compare again first" },
    "hard-refresh": { kind: "boolean", help: "Render and compare again first" },
    "show-operation": { kind: "boolean", help: "Also show the last operation" },
    "show-params": {
      kind: "boolean",
      help: "Also show what can be set for each source: what holds, and who says so",
    },
    "source-position": { kind: "integer", help: "Parameters of this source alone, from 1", value: "N" },
    "source-name": { kind: "string", help: "Parameters of this source alone", value: "NAME" },
    timeout: { kind: "duration", help: "Give up after this time", value: "SECONDS" },
    ...appNamespaceFlag,
  },
  async run({ args: [name = ""], flags, io, api }) {
    const client = await api();
    const ref = readAppName(name, flags["app-namespace"]);
    const refresh = flags["hard-refresh"] ? "hard" : flags.refresh ? "normal" : undefined;
    const app = await withTimeout(io, { timeoutMs: flags.timeout }, () =>
      fetchApp(client, ref, refresh ? { refresh } : {}),
    );
    if (isObjectFormat(flags.output)) {
      await printObject(io, flags.output, app);
      return 0;
    }
    const paint = painter(io);
    const windows = await client.call("getApplicationSyncWindows", ref);
    io.out(appSummary(app, { paint, url: client.url, windows }));
    io.out(conditionTable(app));
    if (flags["show-operation"]) io.out(`\n${operationSummary(app, paint)}`);
    if (flags["show-params"]) {
      const isChosen = flags["source-position"] !== undefined || flags["source-name"] !== undefined;
      const only = isChosen ? sourcePosition(app.spec, flags) : undefined;
      await showParameters({ api: client, io }, { ref, app, only });
    }
    await showResources(client, app, { ref, io, output: flags.output });
    return 0;
  },
});

async function showParameters(
  { api, io }: { api: Api; io: Io },
  { ref, app, only }: { ref: AppRef; app: Application; only: number | undefined },
): Promise<void> {
  const described = await describedSources(api, ref, app);
  const sources = sourcesOf(app);
  for (const [index, source] of sources.entries()) {
    if (only !== undefined && index !== only) continue;
    const { plugin } = described[index]?.description ?? {};
    const table = parameterTable(source, described[index] ?? {});
    if (table === "") continue;
    const title = `Source ${index + 1} (${source.name ?? source.chart ?? source.path ?? ""}${plugin ? `, ${plugin}` : ""}):\n`;
    io.out(`\n${sources.length > 1 ? title : ""}${table}`);
  }
}
