export { jsonPatch } from "./patching/json-patch.ts";
export { strategicMergePatch } from "./patching/strategic-merge.ts";
