import type { ResourceDiff } from "@capstan/model";
import { objectText, parseObject } from "./object-text.ts";

type States = Partial<
  Pick<ResourceDiff, "targetState" | "liveState" | "normalizedLiveState" | "predictedLiveState">
>;

/**
 * The two texts that a person compares: the live object as the comparison sees it, and what it would become.
 * Same choice as Argo CD's page (application-resources-diff.tsx): normalised live against predicted live.
 */
export function diffTexts(states: States, noise: boolean): { before: string; after: string } {
  const reading = { noise, status: false };
  const live = parseObject(states.normalizedLiveState) ?? parseObject(states.liveState);
  const after = parseObject(states.predictedLiveState) ?? parseObject(states.targetState);
  return { before: objectText(live, reading), after: objectText(after, reading) };
}
