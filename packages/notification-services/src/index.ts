export { compileTemplate, type NotificationTemplate, templateShape } from "./compile-template.ts";
export { createService, serviceShapes } from "./create-service.ts";
export type { Notification } from "./notification.ts";
export type { NotificationService, ServiceRequest } from "./service.ts";
export { type KeepThread, ServiceMemory, type SlackThread } from "./service-memory.ts";
export type { CompileText } from "./template/part.ts";
