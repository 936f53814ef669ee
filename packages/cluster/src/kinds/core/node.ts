import { nodeHook } from "../../admission/nodes.ts";
import { fieldAt } from "../../registry/selectable-fields.ts";
import { defaultNodeSpec, defaultNodeStatus } from "../../schema/defaulting/cluster.ts";
import { prepareNode } from "../../schema/prepare.ts";
import { nodeCells } from "../../schema/tables/cluster.ts";
import { validateNode } from "../../schema/validation/node.ts";
import { nodeWarnings } from "../../schema/warnings/warnings.ts";
import { firstNodeKey, simulatedNode } from "../../workloads/pods/simulated-node.ts";
import type { Kind } from "../kind.ts";

export const node: Kind = {
  group: "",
  resource: "nodes",
  storageKey: "minions",
  newStatus: "sent",
  defaults: {
    "io.k8s.api.core.v1.NodeSpec": defaultNodeSpec,
    "io.k8s.api.core.v1.NodeStatus": defaultNodeStatus,
  },
  prepare: prepareNode,
  validate: validateNode,
  warnings: nodeWarnings,
  cells: nodeCells,
  selectors: { "spec.unschedulable": fieldAt("spec.unschedulable", "false") },
  hook: () => nodeHook,
  simulation: { make: simulatedNode, firstKeys: [firstNodeKey] },
};
