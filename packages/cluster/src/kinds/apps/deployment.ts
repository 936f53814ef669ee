import { specOf } from "../../registry/kind-rules.ts";
import { rollingUnlessNamed } from "../../schema/defaulting/workload.ts";
import { deploymentCells } from "../../schema/tables/workload.ts";
import { deploymentStatus } from "../../schema/validation/status.ts";
import { validateDeployment } from "../../schema/validation/workload.ts";
import { deployments } from "../../workloads/apps/deployment.ts";
import type { Kind } from "../kind.ts";

export const deployment: Kind = {
  group: "apps",
  resource: "deployments",
  metadataPasses: { update: 2, whole: 3 },
  generation: (object) => ({ spec: specOf(object), annotations: object.metadata.annotations }),
  keptByStatus: ["labels", "ownerReferences"],
  defaults: {
    "io.k8s.api.apps.v1.DeploymentStrategy": rollingUnlessNamed,
  },
  validate: validateDeployment,
  validateStatus: deploymentStatus,
  podTemplate: ["spec", "template"],
  cells: deploymentCells,
  simulation: { make: deployments },
};
