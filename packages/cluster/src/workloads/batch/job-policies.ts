import type { ContainerStatus, Pod } from "../kinds.ts";
import { readIndexes } from "./indexes.ts";
import type { Job, PodFailureRule } from "./kinds.ts";

export interface FailureMatch {
  action: string;
  /** Why the Job fails, for the action FailJob. */
  message: string;
}

/** The first rule of spec.podFailurePolicy that a failed Pod meets, as pkg/controller/job/pod_failure_policy.go. */
export function matchFailure(job: Job, pod: Pod): FailureMatch | undefined {
  for (const [index, rule] of (job.spec.podFailurePolicy?.rules ?? []).entries()) {
    const what = describeMatch(rule, pod);
    if (what !== undefined) {
      return { action: rule.action, message: `${what} matching ${rule.action} rule at index ${index}` };
    }
  }
  return undefined;
}

function describeMatch({ onExitCodes, onPodConditions }: PodFailureRule, pod: Pod): string | undefined {
  const { namespace, name } = pod.metadata;
  const { conditions = [], containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  if (onExitCodes) {
    const { containerName, operator, values } = onExitCodes;
    const matches = (status: ContainerStatus) => {
      const { exitCode = 0 } = status.state.terminated ?? {};
      const isNamed = containerName === undefined || containerName === status.name;
      return isNamed && exitCode !== 0 && values.includes(exitCode) === (operator === "In");
    };
    const found = [...containerStatuses, ...initContainerStatuses].find(matches);
    if (!found) return undefined;
    return `Container ${found.name} for pod ${namespace}/${name} failed with exit code ${found.state.terminated?.exitCode}`;
  }
  const found = conditions.find((condition) =>
    onPodConditions?.some(({ type, status }) => condition.type === type && condition.status === status),
  );
  return found && `Pod ${namespace}/${name} has condition ${found.type}`;
}

/** The index of the first rule of spec.successPolicy that is met. */
export function matchSuccess(job: Job, succeeded: ReadonlySet<number>): number | undefined {
  if (succeeded.size === 0) return undefined;
  const rules = job.spec.successPolicy?.rules ?? [];
  const at = rules.findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined)
      return succeededCount !== undefined && succeeded.size >= succeededCount;
    const wanted = readIndexes(succeededIndexes);
    const reached = [...wanted].filter((index) => succeeded.has(index)).length;
    return wanted.size > 0 && reached >= (succeededCount ?? wanted.size);
  });
  return at < 0 ? undefined : at;
}
