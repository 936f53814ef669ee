import { defineResourceChange } from "./resource-list.ts";

export default defineResourceChange({
  help: "Permit a kind in namespaces: remove it from the denied ones, or add it to the allowed ones.",
  scope: "namespaced",
  allows: true,
  byDefault: "deny",
});
