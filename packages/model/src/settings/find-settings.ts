import { isRecord, nearestName } from "@capstan/formats";
import { syncOptionProblem } from "../sync-options/sync-option-problem.ts";
import { fieldRules } from "./fields.ts";
import type { KnownSetting, SettingHolder, SettingPart } from "./known-setting.ts";
import { findKnown, keysAt } from "./known-settings.ts";

/** A setting that is there. */
export interface FoundSetting {
  part: SettingPart;
  key: string;
  /** Absent: nobody knows the key. */
  known?: KnownSetting;
  /** What a person should know: what follows from its being there, and what to do. */
  note: string;
}

type Place = { holder: SettingHolder; part: SettingPart };

/** What Capstan does not do of the keys that are there; with `all`, also what it does. */
export function findKeys(place: Place, keys: Iterable<string>, all = false): FoundSetting[] {
  const found: FoundSetting[] = [];
  for (const key of keys) {
    const known = findKnown(place, key);
    if (known === undefined) found.push({ part: place.part, key, note: unknownNote(place, key) });
    else if (all || known.standing !== "honoured")
      found.push({ part: place.part, key, known, note: known.note });
  }
  return found;
}

function unknownNote(place: Place, key: string): string {
  const near = nearestName(key, keysAt(place));
  return `nobody knows it, and it has no effect${near === undefined ? "" : `; did you mean ${near}?`}`;
}

/** Annotations and labels that are Argo CD's or Capstan's by their prefix: of others nothing is known. */
export function findMarks(place: Place, marks: Readonly<Record<string, string>> | undefined): FoundSetting[] {
  const own = Object.keys(marks ?? {}).filter((key) => ours.test(key) || findKnown(place, key) !== undefined);
  return findKeys(place, own);
}

const ours =
  /^(?:[\w.-]+\.)?argocd\.argoproj\.io\/|^capstan\.dev\/|^notifications\.argoproj\.io\/|^notified\.notifications\.argoproj\.io$/;

/** Fields of a specification that are set and not honoured; `spec.sources` is looked at as `spec.source`. */
export function findFields(holder: SettingHolder, spec: unknown, all = false): FoundSetting[] {
  const rules = fieldRules.filter((rule) => rule.holder === holder && (all || rule.standing !== "honoured"));
  return rules.flatMap((known) => {
    const steps = known.key.split(".").slice(1);
    return isSetAt(spec, steps) ? [{ part: "field", key: known.key, known, note: known.note }] : [];
  });
}

function isSetAt(value: unknown, steps: readonly string[]): boolean {
  const [step, ...rest] = steps;
  if (step === undefined) return isSet(value);
  if (!isRecord(value)) return false;
  if (!step.endsWith("[]")) return isSetAt(value[step], rest);
  const list: unknown = value[step.slice(0, -2)];
  return Array.isArray(list) && list.some((item) => isSetAt(item, rest));
}

function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === false) return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isRecord(value) || Object.keys(value).length > 0;
}

/** Options that are none, or have no effect where they stand. */
export function findOptions(place: Place, options: Iterable<string>): FoundSetting[] {
  return [...options]
    .filter((option) => option !== "")
    .flatMap((option): FoundSetting[] => {
      const known = findKnown(place, option);
      if (known?.standing === "honoured") return [];
      const note = known?.note ?? unknownOption(place, option);
      return note === undefined ? [] : [{ part: place.part, key: option, ...(known ? { known } : {}), note }];
    });
}

function unknownOption(place: Place, option: string): string | undefined {
  if (place.part === "sync option") {
    const problem = syncOptionProblem(option, place.holder === "Application" ? "application" : "object");
    return problem && `it ${problem}`;
  }
  const [name = "", value] = option.split("=", 2);
  const values = keysAt(place).filter((key) => key.startsWith(`${name}=`));
  if (values.length === 1 && isDefault(value, values[0])) return undefined;
  const near = nearestName(
    name,
    keysAt(place).map((key) => key.split("=")[0] ?? ""),
  );
  const hint = values.length > 0 ? `; write ${values.join(" or ")}` : near ? `; did you mean ${near}?` : "";
  return `it is no option and has no effect${hint}`;
}

/** The opposite of the only value that does something, exactly as it would be written. */
function isDefault(value: string | undefined, only: string | undefined): boolean {
  return value === (only?.endsWith("=true") ? "false" : "true");
}
