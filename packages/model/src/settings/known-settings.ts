import { knownFields } from "./fields.ts";
import { accessSettings, generalSettings, otherSettings, secretSettings } from "./installation-settings.ts";
import type { KnownSetting, SettingHolder, SettingPart } from "./known-setting.ts";
import { applicationMarks, objectMarks, options } from "./marks.ts";
import { programSettings } from "./program-settings.ts";
import { secretFields, secretMarks } from "./secret-fields.ts";

let all: readonly KnownSetting[] | undefined;

/** Every setting that Argo CD 3.6 or Capstan knows, and what Capstan does with it. */
export function knownSettings(): readonly KnownSetting[] {
  all ??= [
    ...generalSettings,
    ...accessSettings,
    ...secretSettings,
    ...programSettings,
    ...otherSettings,
    ...secretMarks,
    ...secretFields,
    ...knownFields(),
    ...applicationMarks,
    ...objectMarks,
    ...options,
  ];
  return all;
}

type Place = { holder: SettingHolder; part: SettingPart };

interface Names {
  exact: ReadonlyMap<string, KnownSetting>;
  patterns: readonly { expression: RegExp; setting: KnownSetting }[];
}

const byPlace = new Map<string, Names>();

/** What is known of a key; the most exact of several. */
export function findKnown({ holder, part }: Place, key: string): KnownSetting | undefined {
  const { exact, patterns } = namesOf({ holder, part });
  return exact.get(key) ?? patterns.find(({ expression }) => expression.test(key))?.setting;
}

/** Keys of one place, for the nearest to a wrong one. */
export function keysAt(place: Place): string[] {
  const { exact, patterns } = namesOf(place);
  return [...exact.keys(), ...patterns.map(({ setting }) => setting.key)];
}

function namesOf({ holder, part }: Place): Names {
  const known = byPlace.get(`${holder} ${part}`);
  if (known) return known;
  const rows = knownSettings().filter((row) => row.holder === holder && row.part === part);
  const exact = new Map<string, KnownSetting>();
  const patterns: { expression: RegExp; setting: KnownSetting }[] = [];
  for (const setting of rows) {
    if (!setting.key.includes("<")) exact.set(setting.key, setting);
    else patterns.push({ expression: expressionOf(setting.key), setting });
  }
  patterns.sort((left, right) => literalLength(right.setting.key) - literalLength(left.setting.key));
  const names = { exact, patterns };
  byPlace.set(`${holder} ${part}`, names);
  return names;
}

function expressionOf(key: string): RegExp {
  const parts = key.split(/<[^>]*>/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".+")}$`, "s");
}

function literalLength(key: string): number {
  return key.replace(/<[^>]*>/g, "").length;
}
