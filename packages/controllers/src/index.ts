export {
  type ApplicationController,
  startApplicationController,
} from "./application/application-controller.ts";
export type { ApplicationControllerInput } from "./application/application-controller-input.ts";
export { type ApplicationOptions, defaultOptions } from "./application/application-needs.ts";
export { type Examination, openExaminer } from "./application/examiner.ts";
export type { Standing, Standings } from "./application/standings.ts";
export {
  type ApplicationSetController,
  startApplicationSetController,
} from "./application-set/application-set-controller.ts";
export { startImageUpdater } from "./image-updater/image-updater.ts";
export { startNotificationController } from "./notifications/notification-controller.ts";
export { startProjectStatus } from "./project/start-project-status.ts";
