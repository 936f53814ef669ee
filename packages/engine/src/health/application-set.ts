import { conditionsOf, type HealthRule, health } from "./health-rule.ts";

export const applicationSet: HealthRule = {
  group: "argoproj.io",
  kind: "ApplicationSet",
  versions: [],
  assess(live) {
    const conditions = conditionsOf(live);
    const find = (type: string, status: string) =>
      conditions.find((one) => one.type === type && one.status === status);
    const failure = find("ErrorOccurred", "True") ?? find("ResourcesUpToDate", "False");
    const rollout = find("RolloutProgressing", "True");
    const error = find("ErrorOccurred", "True");
    if (error !== undefined) return health("Degraded", error.message);
    if (rollout !== undefined) return health("Progressing", rollout.message);
    if (failure !== undefined) return health("Degraded", failure.message);
    const current = find("ResourcesUpToDate", "True");
    if (current !== undefined) return health("Healthy", current.message);
    return health("Progressing", "Waiting for the status to be reported");
  },
};
