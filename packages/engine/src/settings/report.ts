import type { Application, ApplicationSet, AppProject } from "@capstan/model";
import { type FoundSetting, knownSettings, type SettingsReportRow } from "@capstan/model/settings";
import { applicationSetSettings, applicationSettings, projectSettings } from "./notices.ts";

export interface ReportInput {
  /** Of the installation; absent for whoever may not see them. */
  settings?: {
    notHonoured: readonly { where: string; found: readonly FoundSetting[] }[];
    problems: readonly { where: string; field: string; problem: string }[];
    unreadable: readonly { where: string; field: string; isKept: boolean }[];
  };
  applications: readonly Application[];
  projects: readonly AppProject[];
  applicationSets: readonly ApplicationSet[];
}

/** All that is set and not honoured, what blocks first. */
export function settingsReport(input: ReportInput): SettingsReportRow[] {
  const rows = [
    ...installationRows(input.settings),
    ...input.projects.flatMap((project) =>
      foundRows(`AppProject ${project.metadata.name}`, projectSettings(project)),
    ),
    ...input.applications.flatMap((app) => [
      ...blockedRows(app),
      ...foundRows(`Application ${nameOf(app.metadata)}`, applicationSettings(app)),
    ]),
    ...input.applicationSets.flatMap((set) =>
      foundRows(`ApplicationSet ${nameOf(set.metadata)}`, applicationSetSettings(set)),
    ),
  ];
  return rows.sort((left, right) => Number(right.blocks) - Number(left.blocks));
}

/** Every setting that is known, set or not. */
export function allSettings(): SettingsReportRow[] {
  return knownSettings().map(({ holder, part, key, standing, blocks, note }) => ({
    where: holder,
    setting: part === "key" || part === "field" || part === "label value" ? key : `${part} ${key}`,
    standing,
    blocks,
    note,
  }));
}

function installationRows(settings: ReportInput["settings"]): SettingsReportRow[] {
  if (!settings) return [];
  const problems = settings.problems.map(({ where, field, problem }): SettingsReportRow => {
    const guarded = settings.unreadable.find((one) => one.where === where && one.field === field);
    const standing = guarded?.isKept ? "kept" : "unreadable";
    const note = guarded?.isKept ? `${problem}; the value of before stays in force` : problem;
    return { where, setting: field, standing, blocks: guarded?.isKept === false, note };
  });
  return [...problems, ...settings.notHonoured.flatMap(({ where, found }) => foundRows(where, found))];
}

function foundRows(where: string, found: readonly FoundSetting[]): SettingsReportRow[] {
  return found.map(({ part, key, known, note }) => ({
    where,
    setting: part === "key" || part === "field" || part === "label value" ? key : `${part} ${key}`,
    standing: known?.standing ?? "unknown",
    blocks: known?.blocks ?? false,
    note,
  }));
}

/** As the controller has said it last. */
function blockedRows({ metadata, status }: Application): SettingsReportRow[] {
  const blocked = (status?.conditions ?? []).filter(({ type }) => type === "NotHonouredError");
  return blocked.map(({ message }) => ({
    where: `Application ${nameOf(metadata)}`,
    setting: "",
    standing: "not honoured",
    blocks: true,
    note: message,
  }));
}

function nameOf({ namespace, name }: { namespace?: string; name: string }): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
