export { sops } from "./sops.ts";
