import { ExitError, type Io } from "@capstan/cli/record";
import type { Examination } from "@capstan/controllers";
import { type ComparedViews, compareViews, settingsReport } from "@capstan/engine";
import { runLimited } from "@capstan/flow";
import {
  type Application,
  type Failure,
  isApplication,
  isApplicationSet,
  isAppProject,
  isCapstanError,
  messageOf,
  projectOf,
} from "@capstan/model";
import type { CheckFlags } from "./check.ts";
import { type OpenInstallation, openInstallation } from "./open-installation.ts";
import type { MigrationReport } from "./report.ts";

interface Found {
  readonly views: ComparedViews;
  /** A plugin that it needs and that is not here. */
  readonly plugin: string | undefined;
}

export async function checkInstallation(flags: CheckFlags, io: Io): Promise<MigrationReport> {
  await using installation = await openInstallation(flags, io);
  const keys = chosen(installation, flags);
  const work = { installation, flags, io };
  const found = await examineAll(work, keys, "");
  const settleMs = (flags.settle ?? 15) * 1000;
  const differing = [...found].filter(([, { views }]) => views.verdict === "differs").map(([key]) => key);
  if (differing.length > 0 && settleMs > 0) {
    await installation.means.clock.sleep(settleMs, io.signal);
    for (const [key, again] of await examineAll(work, differing, " again")) found.set(key, again);
  }
  return reportOf(installation, [...found.values()], flags.all === true);
}

function chosen({ examiner, means }: OpenInstallation, { app: names, project }: CheckFlags): string[] {
  const all = examiner.keys();
  const wanted = names?.map((name) => (name.includes("/") ? name : `${means.namespace}/${name}`));
  const lacking = (wanted ?? []).filter((key) => !all.includes(key));
  if (lacking.length > 0) throw new ExitError(`there is no application ${lacking.join(", ")}`, 2);
  return all.filter(
    (key) =>
      (wanted === undefined || wanted.includes(key)) &&
      (project === undefined || isOf(examiner.get(key), project)),
  );
}

function isOf(app: Application | undefined, projects: readonly string[]): boolean {
  return app !== undefined && projects.includes(projectOf(app));
}

const mostProgressLines = 20;

interface Work {
  readonly installation: OpenInstallation;
  readonly flags: CheckFlags;
  readonly io: Io;
}

async function examineAll(
  { installation, flags, io }: Work,
  keys: readonly string[],
  again: string,
): Promise<Map<string, Found>> {
  const found = new Map<string, Found>();
  let done = 0;
  const step = Math.ceil(keys.length / mostProgressLines);
  const limitMs = 2 * (flags.timeout ?? 120) * 1000;
  await runLimited(keys, flags.parallel ?? 8, async (key) => {
    const one = await examineOne(installation, { key, limitMs, signal: io.signal });
    if (one) found.set(key, one);
    else found.delete(key);
    done += 1;
    if (io.errIsTerminal && done % step === 0)
      io.err(`${done} of ${keys.length} applications looked at${again}\n`);
  });
  return found;
}

async function examineOne(
  { examiner }: OpenInstallation,
  { key, limitMs, signal }: { key: string; limitMs: number; signal: AbortSignal },
): Promise<Found | undefined> {
  const limit = AbortSignal.timeout(limitMs);
  try {
    const found = await examiner.examine(key, AbortSignal.any([signal, limit]));
    return found && judge(found);
  } catch (error) {
    signal.throwIfAborted();
    const app = examiner.get(key);
    if (!app) return undefined;
    const why = limit.aborted ? `it took longer than ${limitMs / 1000} s` : messageOf(error);
    return { views: viewsOf(app, why), plugin: undefined };
  }
}

function viewsOf(app: Application, lacking: string): ComparedViews {
  const status = app.status ?? {};
  return compareViews(app, { status, resources: undefined, lacking, operation: undefined });
}

function judge({ app, error, ...found }: Examination): Found {
  const failure = isCapstanError(error) ? error.failure : undefined;
  const lacking = failure && lackingHere(failure) ? messageOf(error) : undefined;
  const plugin = failure?.code === "PLUGIN_MISSING" ? failure.plugin : undefined;
  return { views: compareViews(app, { ...found, lacking }), plugin };
}

/** What failed for the place of the check, not for Capstan. */
function lackingHere({ code }: Failure): boolean {
  switch (code) {
    case "PLUGIN_MISSING":
    case "PLUGIN_UNREACHABLE":
    case "REPOSITORY_UNREACHABLE":
    case "TOOL_MISSING":
    case "UNAVAILABLE":
    case "TIMED_OUT":
    case "QUEUE_FULL":
      return true;
    default:
      return false;
  }
}

function reportOf(
  { means: { settings, live } }: OpenInstallation,
  found: readonly Found[],
  all: boolean,
): MigrationReport {
  const views = found.map((one) => one.views).sort((a, b) => (a.application < b.application ? -1 : 1));
  const count = (verdict: ComparedViews["verdict"]) => views.filter((one) => one.verdict === verdict).length;
  const ours = (kind: string) => live.ofKind("argoproj.io", kind);
  const rows = settingsReport({
    settings: settings.current,
    applications: ours("Application").filter(isApplication),
    projects: ours("AppProject").filter(isAppProject),
    applicationSets: ours("ApplicationSet").filter(isApplicationSet),
  });
  const plugins = Map.groupBy(
    found.filter(({ plugin }) => plugin !== undefined),
    ({ plugin }) => plugin ?? "",
  );
  return {
    summary: {
      applications: views.length,
      equal: count("equal"),
      differ: count("differs"),
      unknown: count("unknown"),
      settingsNotHonoured: rows.length,
    },
    applications: views.filter(({ verdict }) => all || verdict !== "equal"),
    pluginsLacking: [...plugins].map(([plugin, of]) => ({
      plugin,
      applications: of.map(({ views: { application } }) => application).sort(),
    })),
    settings: rows,
  };
}
