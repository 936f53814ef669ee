export { cdk8s } from "./cdk8s.ts";
