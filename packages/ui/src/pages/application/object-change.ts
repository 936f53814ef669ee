import type { ResourceDiff } from "@capstan/model";
import { diffTexts } from "../../parts/code/diff-texts.ts";
import { resourceKey } from "../../resource-id.ts";

type Change = "create" | "change" | "delete";

export const changeWords = {
  create: { text: "is missing in the cluster", glyph: "ring", tone: "warn" },
  change: { text: "differs", glyph: "unequal", tone: "warn" },
  delete: { text: "is no longer in git", glyph: "bin", tone: "bad" },
} as const;

/** An object that differs, with the two texts that a person compares. */
export interface Compared {
  readonly diff: ResourceDiff;
  readonly change: Change;
  readonly before: string;
  readonly after: string;
}

/** The server says what is not there as the JSON text `null`, as Argo CD does. */
const isThere = (state: string | undefined): boolean => Boolean(state) && state !== "null";

export function changeOf({ normalizedLiveState: live, predictedLiveState: predicted }: ResourceDiff): Change {
  if (!isThere(predicted)) return "delete";
  return isThere(live) ? "change" : "create";
}

export function comparedOf(diffs: readonly ResourceDiff[], noise: boolean): Compared[] {
  return diffs.map((diff) => ({ diff, change: changeOf(diff), ...diffTexts(diff, noise) }));
}

/** Where the list of what differs leads to. */
export const boxId = (diff: ResourceDiff): string => `diff ${resourceKey(diff)}`.replaceAll(" ", "-");
