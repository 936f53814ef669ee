import { defineResourceChange } from "./resource-list.ts";

export default defineResourceChange({
  help: "Refuse a kind without namespace: remove it from the allowed ones, or add it to the denied ones.",
  scope: "cluster",
  allows: false,
  byDefault: "allow",
});
