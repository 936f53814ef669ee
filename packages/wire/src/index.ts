export type * from "./repo-server.ts";
export type * from "./rest/application-messages.ts";
export { buildRequest, type RestRequest } from "./rest/build-request.ts";
export { frameMediaTypes, type StreamError, type StreamFrame } from "./rest/frames.ts";
export type * from "./rest/other-messages.ts";
export { type ReceivedRequest, readRequest, UnreadableRequest } from "./rest/read-request.ts";
export type { FieldKind, Fields, InOf, OutOf, Route } from "./rest/route.ts";
export { type RouteName, type Routes, routes } from "./rest/routes.ts";
export type { SyncPlanPreview, SyncPlanStep } from "./rest/sync-plan.ts";
