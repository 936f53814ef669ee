import { type SyncOptionName, syncOptionList } from "./sync-option-records.ts";

export function formatSyncOption(name: SyncOptionName, value: boolean | string): string {
  return `${name}=${value}`;
}

/** A list with one option set to a value, at its end; what the list says of others stays as it is. */
export function withSyncOption(
  list: readonly string[],
  name: SyncOptionName,
  value: boolean | string,
): string[] {
  return [...withoutSyncOption(list, name), formatSyncOption(name, value)];
}

/** The list without what it says of an option: then its default holds. */
export function withoutSyncOption(list: readonly string[], name: SyncOptionName): string[] {
  return list.filter((text) => !text.trim().startsWith(`${name}=`));
}

/** Every text that one may write there: in an Application's list, or in the annotation of an object. */
export function writableSyncOptions(place: "application" | "object"): string[] {
  return syncOptionList.flatMap(([name, { values, saidBy }]) =>
    saidBy === place || saidBy === "both" ? Object.keys(values).map((value) => `${name}=${value}`) : [],
  );
}
