import { route } from "./route.ts";

interface Named {
  items: { name: string }[];
}

const base = "/api/v1/notifications";
const service = "notification.NotificationService";

export const notificationRoutes = {
  listTriggers: route("GET", `${base}/triggers`, {}).rpc(`${service}/ListTriggers`).answers<Named>(),
  listServices: route("GET", `${base}/services`, {}).rpc(`${service}/ListServices`).answers<Named>(),
  listTemplates: route("GET", `${base}/templates`, {}).rpc(`${service}/ListTemplates`).answers<Named>(),
} as const;
