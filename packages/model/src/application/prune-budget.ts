import { annotationKeys } from "../annotations.ts";
import type { ObjectMeta } from "../manifest.ts";

/** Most that one sync may prune of an application's objects, in per cent of them; "off": no limit. */
export type PruneBudget = { readonly percent: number } | "off";

export const defaultPruneBudget: PruneBudget = { percent: 50 };

/** Whole per cent as "30%" or "30", or "off"; undefined: it is neither. */
export function readPruneBudget(text: string): PruneBudget | undefined {
  const written = text.trim().toLowerCase();
  if (written === "off") return "off";
  const percent = /^(\d{1,3}) ?%?$/.exec(written)?.[1];
  if (percent === undefined || Number(percent) > 100) return undefined;
  return { percent: Number(percent) };
}

interface Marked {
  metadata: Pick<ObjectMeta, "annotations">;
}

/** What the application says, else its project, else the installation; what cannot be read counts as not said. */
export function pruneBudgetOf(app: Marked, project: Marked, general: PruneBudget): PruneBudget {
  for (const { metadata } of [app, project]) {
    const said = readPruneBudget(metadata.annotations?.[annotationKeys.pruneBudget] ?? "");
    if (said !== undefined) return said;
  }
  return general;
}

/** What is wrong with the annotation, if it cannot be read. */
export function pruneBudgetProblem({ metadata }: Marked): string | undefined {
  const text = metadata.annotations?.[annotationKeys.pruneBudget];
  if (text === undefined || readPruneBudget(text) !== undefined) return undefined;
  return `"${text}" is neither a share from 0% to 100% nor off, and has no effect`;
}
