import { daemonSets } from "./apps/daemon-set.ts";
import { deployments } from "./apps/deployment.ts";
import { replicaSets, replicationControllers } from "./apps/replica-set.ts";
import { statefulSets } from "./apps/stateful-set.ts";
import { cronJobs } from "./batch/cron-job.ts";
import { jobs } from "./batch/job.ts";
import type { Context, Controller } from "./controller.ts";
import { endpointSlices } from "./network/endpoint-slices.ts";
import { ingresses, loadBalancers } from "./network/load-balancers.ts";
import { firstNodeKey, simulatedNode } from "./pods/simulated-node.ts";
import { autoscalers } from "./policy/autoscalers.ts";
import { disruptionBudgets } from "./policy/disruption-budgets.ts";
import { apiServices, flowSchemas } from "./policy/standing.ts";
import { volumeClaims } from "./storage/volume-claims.ts";
import { standardClass, standardClassKey, volumes } from "./storage/volumes.ts";

export interface Registration {
  make(context: Context): Controller;
  /** Keys to look at once, even though nothing is there yet. */
  firstKeys?: readonly string[];
}

/** Everything that is simulated besides the Pods themselves. */
export const controllers: readonly Registration[] = [
  { make: simulatedNode, firstKeys: [firstNodeKey] },
  { make: standardClass, firstKeys: [standardClassKey] },
  { make: deployments },
  { make: replicaSets },
  { make: replicationControllers },
  { make: statefulSets },
  { make: daemonSets },
  { make: jobs },
  { make: cronJobs },
  { make: loadBalancers },
  { make: ingresses },
  { make: endpointSlices },
  { make: volumeClaims },
  { make: volumes },
  { make: autoscalers },
  { make: disruptionBudgets },
  { make: apiServices },
  { make: flowSchemas },
];
