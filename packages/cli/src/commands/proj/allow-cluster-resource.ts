import { defineResourceChange } from "./resource-list.ts";

export default defineResourceChange({
  help: "Permit a kind without namespace: add it to the allowed ones, or remove it from the denied ones.",
  scope: "cluster",
  allows: true,
  byDefault: "allow",
});
