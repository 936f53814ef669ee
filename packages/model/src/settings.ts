export { describeSetting } from "./settings/describe-setting.ts";
export { type FoundSetting, findFields, findKeys, findMarks, findOptions } from "./settings/find-settings.ts";
export type { KnownSetting, SettingHolder } from "./settings/known-setting.ts";
export { findKnown, knownSettings } from "./settings/known-settings.ts";
export type { SettingsReportRow } from "./settings/report-row.ts";
