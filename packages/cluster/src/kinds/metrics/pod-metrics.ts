import type { Kind } from "../kind.ts";
import { described, figuresNotice, metricsOf, printUsage, usageOfPod } from "./usage.ts";

/** What `kubectl top pod` asks for. */
export const podMetrics: Kind = {
  group: "metrics.k8s.io",
  resource: "pods",
  notice: figuresNotice,
  computed: {
    described: described("PodMetrics", "pods", true),
    source: "/pods",
    maker: (_, now) => (pod) => {
      const containers = usageOfPod(pod);
      // metrics-server knows nothing of a Pod of which nothing runs.
      if (containers.length === 0) return undefined;
      return {
        ...metricsOf("PodMetrics", pod.object, now),
        containers: containers.map((usage) => ({ name: usage.name, usage: printUsage(usage) })),
      };
    },
  },
};
