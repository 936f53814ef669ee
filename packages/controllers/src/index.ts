export {
  type ApplicationController,
  startApplicationController,
} from "./application/application-controller.ts";
export type { ApplicationControllerInput } from "./application/application-controller-input.ts";
export {
  type ApplicationOptions,
  type ControllerLog,
  defaultOptions,
} from "./application/application-needs.ts";
export { type Examination, type Examiner, openExaminer } from "./application/examiner.ts";
export {
  type ApplicationSetController,
  type ApplicationSetControllerInput,
  startApplicationSetController,
} from "./application-set/application-set-controller.ts";
export {
  type ImageUpdater,
  type ImageUpdaterInput,
  startImageUpdater,
} from "./image-updater/image-updater.ts";
export {
  type NotificationController,
  type NotificationControllerInput,
  startNotificationController,
} from "./notifications/notification-controller.ts";
export { type PluginServicesInput, watchPluginServices } from "./plugins/watch-plugin-services.ts";
export { startProjectStatus } from "./project/start-project-status.ts";
