import type { Sources } from "../../registry/computed.ts";
import { textAt } from "../../schema/json.ts";
import type { Kind } from "../kind.ts";
import {
  type ContainerUsage,
  described,
  figuresNotice,
  metricsOf,
  printUsage,
  sumOf,
  usageOfPod,
} from "./usage.ts";

/** What `kubectl top node` asks for: all that its Pods use. */
export const nodeMetrics: Kind = {
  group: "metrics.k8s.io",
  resource: "nodes",
  notice: figuresNotice,
  computed: {
    described: described("NodeMetrics", "nodes", false),
    source: "/nodes",
    maker(sources, now) {
      const byNode = usageByNode(sources);
      return ({ name, object }) => ({
        ...metricsOf("NodeMetrics", object, now),
        usage: printUsage(sumOf(byNode.get(name) ?? [])),
      });
    },
  },
};

function usageByNode(sources: Sources): Map<string, ContainerUsage[]> {
  const byNode = new Map<string, ContainerUsage[]>();
  for (const pod of sources.list("/pods")) {
    const usage = usageOfPod(pod);
    if (usage.length === 0) continue;
    const node = textAt(pod.object, "spec", "nodeName");
    const before = byNode.get(node);
    if (before === undefined) byNode.set(node, [...usage]);
    else before.push(...usage);
  }
  return byNode;
}
