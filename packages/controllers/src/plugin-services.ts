export { watchPluginServices } from "./plugins/watch-plugin-services.ts";
