import { withCondition } from "../conditions.ts";
import { type Context, type Controller, lookUp, ownChanges, timestamp } from "../controller.ts";
import { resourceTypes } from "../resource-types.ts";
import { writeStatus } from "../write-status.ts";
import type { APIService } from "./kinds.ts";

/** Every APIService is Available: what would answer behind it is simulated like all else. */
export function apiServices({ objects, clock }: Context): Controller {
  const type = resourceTypes.apiServices;
  return {
    name: "apiservice-controller",
    watches: [ownChanges(type)],
    async reconcile(key) {
      const service = lookUp<APIService>(objects, type, key);
      if (!service) return undefined;
      const condition = service.spec.service
        ? { type: "Available", status: "True", reason: "Passed", message: "all checks passed" }
        : {
            type: "Available",
            status: "True",
            reason: "Local",
            message: "Local APIServices are always available",
          };
      const conditions = withCondition(service.status?.conditions, condition, timestamp(clock.now()));
      await writeStatus<APIService>(objects, type, {
        object: service,
        status: { ...service.status, conditions },
      });
      return undefined;
    },
  };
}
