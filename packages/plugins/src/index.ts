export { directory } from "./directory/directory.ts";
