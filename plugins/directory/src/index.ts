export { directory } from "./directory.ts";
