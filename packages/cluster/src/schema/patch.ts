export { jsonPatch } from "./patching/json-patch.ts";
export { mergePatch } from "./patching/merge-patch.ts";
export { strategicMergePatch } from "./patching/strategic-merge.ts";
