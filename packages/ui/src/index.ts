export { type ApplicationTab, type AppRef, paths, type Search } from "./paths.ts";
