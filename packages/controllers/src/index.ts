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
