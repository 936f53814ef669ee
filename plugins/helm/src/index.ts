export { helm } from "./helm.ts";
