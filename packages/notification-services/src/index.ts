export { compileTemplate, type NotificationTemplate, type TemplateRequest } from "./compile-template.ts";
export { createService, serviceTypes } from "./create-service.ts";
export type { Notification } from "./notification.ts";
export {
  EntryError,
  type NotificationService,
  SendError,
  type SendFailure,
  type ServiceRequest,
} from "./service.ts";
export { ServiceMemory } from "./service-memory.ts";
export type { CompileText, Vars } from "./template/part.ts";
