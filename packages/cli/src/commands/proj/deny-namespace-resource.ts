import { defineResourceChange } from "./resource-list.ts";

export default defineResourceChange({
  help: "Refuse a kind in namespaces: add it to the denied ones, or remove it from the allowed ones.",
  scope: "namespaced",
  allows: false,
  byDefault: "deny",
});
