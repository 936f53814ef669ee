import type { SyncPlanRequest } from "@capstan/wire";
import { useEffect, useState } from "react";
import type { AppRef } from "../../paths.ts";
import { useSyncPlan } from "../../queries/details.ts";
import type { PlanState } from "./sync-choices.ts";

/** A plan that takes longer than this is not waited for by somebody in a hurry. */
const patienceMs = 8_000;

/** The plan of these choices, as the button that follows it takes it. */
export function usePlan(appRef: AppRef, request: SyncPlanRequest, comparison: string) {
  const query = useSyncPlan(appRef, request, comparison);
  const { data: shown, error, isFetching, isPlaceholderData: isOfEarlierChoices } = query;
  const plan = isOfEarlierChoices || error ? undefined : shown;
  const isLate = useLate(plan === undefined, JSON.stringify(request));
  const state: PlanState = plan ?? (error || isLate ? "absent" : "waiting");
  const mayStart = state !== "waiting" && (plan === undefined || plan.blockedBy.length === 0);
  return { shown, error, isFetching, state, mayStart };
}

/** Whether what is waited for has not come for long; each question begins anew. */
function useLate(isWaiting: boolean, question: string): boolean {
  const [late, setLate] = useState("");
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setTimeout(() => setLate(question), patienceMs);
    return () => clearTimeout(timer);
  }, [isWaiting, question]);
  return isWaiting && late === question;
}
