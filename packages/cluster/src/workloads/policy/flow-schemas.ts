import { withCondition } from "../conditions.ts";
import { type Context, type Controller, keyOf, lookUp, ownChanges, timestamp } from "../controller.ts";
import { resourceTypes } from "../resource-types.ts";
import { writeStatus } from "../write-status.ts";
import type { FlowSchema } from "./kinds.ts";

/** Whether the level that a FlowSchema names is there (apiserver flowcontrol.syncFlowSchemaStatus). */
export function flowSchemas({ objects, clock }: Context): Controller {
  const type = resourceTypes.flowSchemas;
  const levels = resourceTypes.priorityLevels;
  return {
    name: "flow-schema-controller",
    watches: [ownChanges(type), { type: levels, keysOf: () => objects.list(type).map(keyOf) }],
    async reconcile(key) {
      const schema = lookUp<FlowSchema>(objects, type, key);
      if (!schema) return undefined;
      const { name } = schema.spec.priorityLevelConfiguration;
      const isThere = objects.get(levels, "", name) !== undefined;
      const told = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(name)}`;
      const condition = isThere
        ? { type: "Dangling", status: "False", reason: "Found", message: `${told} and it exists` }
        : {
            type: "Dangling",
            status: "True",
            reason: "NotFound",
            message: `${told} but there is no such object`,
          };
      const conditions = withCondition(schema.status?.conditions, condition, timestamp(clock.now()));
      await writeStatus<FlowSchema>(objects, type, {
        object: schema,
        status: { ...schema.status, conditions },
      });
      return undefined;
    },
  };
}
