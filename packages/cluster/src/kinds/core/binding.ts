import type { Kind } from "../kind.ts";

export const binding: Kind = {
  group: "",
  resource: "bindings",
};
