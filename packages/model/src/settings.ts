export { describeSetting } from "./settings/describe-setting.ts";
export { isWithin, leavesOf, ruleOf } from "./settings/fields.ts";
export { type FoundSetting, findFields, findKeys, findMarks, findOptions } from "./settings/find-settings.ts";
export type { KnownSetting, SettingHolder, SettingPart, Standing } from "./settings/known-setting.ts";
export { findKnown, keysAt, knownSettings } from "./settings/known-settings.ts";
export type { SettingsReportRow } from "./settings/report-row.ts";
