import { specOf } from "../../registry/kind-rules.ts";
import { cronJobCells } from "../../schema/tables/workload.ts";
import { validateCronJob } from "../../schema/validation/job.ts";
import { cronJobs } from "../../workloads/batch/cron-job.ts";
import type { Kind } from "../kind.ts";

export const cronJob: Kind = {
  group: "batch",
  resource: "cronjobs",
  metadataPasses: { update: 2, whole: 3 },
  generation: specOf,
  validate: validateCronJob,
  podTemplate: ["spec", "jobTemplate", "spec", "template"],
  cells: cronJobCells,
  simulation: { make: cronJobs },
};
