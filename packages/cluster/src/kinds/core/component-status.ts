import { isObject, listAt, textAt } from "../../schema/json.ts";
import type { Kind } from "../kind.ts";

export const componentStatus: Kind = {
  group: "",
  resource: "componentstatuses",
  notice: "v1 ComponentStatus is deprecated in v1.19+",
  cells: {
    Status(object) {
      const healthy = listAt(object, "conditions").find(
        (condition) => textAt(condition, "type") === "Healthy",
      );
      if (!isObject(healthy)) return "Unknown";
      return healthy.status === "True" ? "Healthy" : "Unhealthy";
    },
    Message: (object) => textAt(listAt(object, "conditions")[0], "message"),
    Error: (object) => textAt(listAt(object, "conditions")[0], "error"),
  },
};
