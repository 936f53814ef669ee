import type { Application, ApplicationSet } from "@capstan/model";

type Strategy = NonNullable<ApplicationSet["spec"]["strategy"]>;
export type RolloutStep = NonNullable<NonNullable<Strategy["rollingSync"]>["steps"]>[number];

/** Whether a set asks for progressive syncs; they also have to be turned on for all sets. */
export function wantsRollingSync({ spec: { strategy } }: ApplicationSet): boolean {
  return strategy?.type === "RollingSync" && strategy.rollingSync !== undefined;
}

/** Empty where it is no rolling sync. */
export function stepsOf(set: ApplicationSet): readonly RolloutStep[] {
  return wantsRollingSync(set) ? (set.spec.strategy?.rollingSync?.steps ?? []) : [];
}

/** What is deleted with the set goes one by one, from the last step to the first (IsDeletionOrderReversed). */
export function deletesInReverse(set: ApplicationSet): boolean {
  return stepsOf(set).length > 0 && set.spec.strategy?.deletionOrder?.toLowerCase() === "reverse";
}

/** An Application whose syncs the set starts does not sync by itself (disableAutomatedSync). */
export function withoutAutoSync(app: Application): Application {
  const { syncPolicy } = app.spec;
  if (!syncPolicy?.automated) return app;
  const automated = { ...syncPolicy.automated, enabled: false };
  return { ...app, spec: { ...app.spec, syncPolicy: { ...syncPolicy, automated } } };
}
