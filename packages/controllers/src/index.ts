export {
  type ApplicationController,
  type ApplicationControllerInput,
  startApplicationController,
} from "./application/application-controller.ts";
export {
  type ApplicationOptions,
  type ControllerLog,
  defaultOptions,
} from "./application/application-needs.ts";
export { type PluginServicesInput, watchPluginServices } from "./plugins/watch-plugin-services.ts";
export { startStatusLoops } from "./start-status-loops.ts";
