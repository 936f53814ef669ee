import type { Application, RevisionHistory } from "@capstan/model";
import { defineCommand } from "../../command.ts";
import { qualifiedName } from "../../output/app-rows.ts";
import { goTime } from "../../output/app-summary.ts";
import { isObjectFormat, outputFlag, printObject } from "../../output/print-object.ts";
import { formatTable } from "../../output/table.ts";
import { appNamespaceFlag, fetchApp, readAppName } from "./app-name.ts";

export default defineCommand({
  usage: "APPNAME",
  help: "Show what was deployed when; `capstan app rollback` goes back to one of these.",
  argument: "application",
  arity: [1, 1],
  flags: {
    output: outputFlag(["wide", "id", "json", "yaml"], "wide"),
    ...appNamespaceFlag,
  },
  async run({ args: [name = ""], flags, io, api }) {
    const app = await fetchApp(await api(), readAppName(name, flags["app-namespace"]));
    const history = app.status?.history ?? [];
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, history);
    else if (flags.output === "id") io.out(history.map(({ id }) => `${id}\n`).join(""));
    else if (history.length === 0) io.err(`${qualifiedName(app)} has no deployments yet\n`);
    else {
      io.out(formatTable([["ID", "DATE", "REVISION"], ...history.map((entry) => row(entry, app))]));
      for (const moved of movesIn(history)) io.out(`${moved}\n`);
    }
    return 0;
  },
});

/** Where a tag or a chart's version stood for something else than in an entry before. */
function movesIn(history: readonly RevisionHistory[]): string[] {
  const last = new Map<string, { id: number; meaning: string }>();
  return history.flatMap(({ id, meanings = [], source, sources, revision, revisions }) =>
    (sources ?? [source ?? []].flat()).flatMap(({ repoURL, chart, targetRevision = "" }, index) => {
      const meaning = meanings[index] ?? "";
      if (meaning === "") return [];
      const name = chart ? `${chart} ${revisions?.[index] ?? revision ?? ""}` : `tag ${targetRevision}`;
      const key = `${repoURL} ${name}`;
      const before = last.get(key);
      last.set(key, { id, meaning });
      if (!before || before.meaning === meaning) return [];
      return [
        `${id}: ${name} was ${shortened(before.meaning)} at ${before.id}, and is ${shortened(meaning)}`,
      ];
    }),
  );
}

function row(
  { id, deployedAt, revision, revisions, source, sources }: RevisionHistory,
  { spec }: Application,
): string[] {
  const all = sources && sources.length > 0 ? sources : [source ?? spec.source ?? []].flat();
  const shown = all.map(({ targetRevision }, index) => {
    const commit = revisions?.[index] ?? revision ?? "";
    const short = shortened(commit);
    return targetRevision && targetRevision !== commit ? `${targetRevision} (${short})` : short;
  });
  return [String(id), goTime(deployedAt), shown.join(", ")];
}

function shortened(revision: string): string {
  return /^[0-9a-f]{40}$/.test(revision) ? revision.slice(0, 7) : revision;
}
