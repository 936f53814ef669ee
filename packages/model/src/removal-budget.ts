import { annotationKeys } from "./annotations.ts";
import type { ObjectMeta } from "./manifest.ts";

/** Most of what somebody keeps that may be taken away at once without consent, in per cent of it; "off": no limit. */
export type RemovalBudget = { readonly percent: number } | "off";

export const defaultRemovalBudget: RemovalBudget = { percent: 50 };

/** Whole per cent as "30%" or "30", or "off"; undefined: it is neither. */
export function readRemovalBudget(text: string): RemovalBudget | undefined {
  const written = text.trim().toLowerCase();
  if (written === "off") return "off";
  const percent = /^(\d{1,3}) ?%?$/.exec(written)?.[1];
  if (percent === undefined || Number(percent) > 100) return undefined;
  return { percent: Number(percent) };
}

interface Marked {
  metadata: Pick<ObjectMeta, "annotations">;
}

const { pruneBudget, deletionBudget } = annotationKeys;

/** What the application says, else its project, else the installation; what cannot be read counts as not said. */
export function pruneBudgetOf(app: Marked, project: Marked, general: RemovalBudget): RemovalBudget {
  return saidBudget(app, pruneBudget) ?? saidBudget(project, pruneBudget) ?? general;
}

/** What the ApplicationSet says, else the installation; what cannot be read counts as not said. */
export function deletionBudgetOf(set: Marked, general: RemovalBudget): RemovalBudget {
  return saidBudget(set, deletionBudget) ?? general;
}

function saidBudget({ metadata }: Marked, key: string): RemovalBudget | undefined {
  return readRemovalBudget(metadata.annotations?.[key] ?? "");
}

/** What is wrong with the annotation, if it cannot be read. */
export function removalBudgetProblem(
  { metadata }: Marked,
  key: typeof pruneBudget | typeof deletionBudget,
): string | undefined {
  const text = metadata.annotations?.[key];
  if (text === undefined || readRemovalBudget(text) !== undefined) return undefined;
  return `"${text}" is neither a share from 0% to 100% nor off, and has no effect`;
}
