import type { Pod, PodTemplate } from "../kinds.ts";
import { newPod } from "../pod-control.ts";
import { indexAnnotation } from "./indexes.ts";
import type { Job } from "./kinds.ts";

/** A Pod of the Job; of an Indexed one with the index in annotation, label, host name and environment. */
export function jobPod(job: Job, index: number | undefined): Pod {
  const { name = "", uid = "" } = job.metadata;
  const { template } = job.spec;
  const indexText = index === undefined ? undefined : String(index);
  const labelled: PodTemplate = {
    metadata: {
      ...template.metadata,
      labels: {
        ...template.metadata?.labels,
        "batch.kubernetes.io/controller-uid": uid,
        "batch.kubernetes.io/job-name": name,
        "controller-uid": uid,
        "job-name": name,
        ...(indexText !== undefined && { [indexAnnotation]: indexText }),
      },
      ...(indexText !== undefined && {
        annotations: { ...template.metadata?.annotations, [indexAnnotation]: indexText },
      }),
    },
    spec: index === undefined ? template.spec : withIndex(job, index),
  };
  return newPod(labelled, job, { prefix: index === undefined ? `${name}-` : `${name}-${index}-` });
}

function withIndex(job: Job, index: number): PodTemplate["spec"] {
  const { spec } = job.spec.template;
  const env = { name: "JOB_COMPLETION_INDEX", value: String(index) };
  const add = (container: PodTemplate["spec"]["containers"][number]) => ({
    ...container,
    env: [...(container.env ?? []), env],
  });
  return {
    ...spec,
    hostname: `${job.metadata.name}-${index}`,
    containers: spec.containers.map(add),
    ...(spec.initContainers && { initContainers: spec.initContainers.map(add) }),
  };
}
