import { specOf } from "../../registry/kind-rules.ts";
import { fieldAt } from "../../registry/selectable-fields.ts";
import { defaultJob } from "../../schema/defaulting/workload.ts";
import { prepareJob } from "../../schema/prepare.ts";
import { jobCells } from "../../schema/tables/workload.ts";
import { validateJob } from "../../schema/validation/job.ts";
import { validateJobStatus } from "../../schema/validation/job-status.ts";
import { jobs } from "../../workloads/batch/job.ts";
import type { Kind } from "../kind.ts";

export const job: Kind = {
  group: "batch",
  resource: "jobs",
  generation: specOf,
  defaults: {
    "io.k8s.api.batch.v1.Job": defaultJob,
  },
  prepare: prepareJob,
  validate: validateJob,
  validateStatus: validateJobStatus,
  podTemplate: ["spec", "template"],
  cells: jobCells,
  selectors: { "status.successful": fieldAt("status.succeeded", "0") },
  unknownSelector: (field) => `field label "${field}" not supported for Job`,
  deletion: {
    dependents: "orphaned",
    undecided:
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
  },
  simulation: { make: jobs },
};
