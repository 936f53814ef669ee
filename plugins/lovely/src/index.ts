export { lovely } from "./lovely.ts";
