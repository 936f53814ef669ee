import { accountRoutes } from "./accounts.ts";
import { applicationResourceRoutes } from "./application-resources.ts";
import { applicationRowRoutes } from "./application-rows.ts";
import { applicationSetRoutes } from "./application-sets.ts";
import { applicationRoutes } from "./applications.ts";
import { certificateRoutes } from "./certificates.ts";
import { clusterRoutes } from "./clusters.ts";
import { gpgKeyRoutes } from "./gpg-keys.ts";
import { imageUpdateRoutes } from "./image-updates.ts";
import { notificationRoutes } from "./notifications.ts";
import { operationRoutes } from "./operations.ts";
import { projectRoutes } from "./projects.ts";
import { repositoryRoutes } from "./repositories.ts";
import { resourceRoutes } from "./resources.ts";
import type { AnyRoute } from "./route.ts";
import { settingsRoutes } from "./settings.ts";
import { writeRepositoryRoutes } from "./write-repositories.ts";

/** Every REST call there is. Servers mount handlers by these names, clients call by them. */
export const routes = {
  ...applicationRoutes,
  ...applicationResourceRoutes,
  ...applicationRowRoutes,
  ...applicationSetRoutes,
  ...imageUpdateRoutes,
  ...notificationRoutes,
  ...operationRoutes,
  ...projectRoutes,
  ...repositoryRoutes,
  ...clusterRoutes,
  ...certificateRoutes,
  ...gpgKeyRoutes,
  ...writeRepositoryRoutes,
  ...accountRoutes,
  ...settingsRoutes,
  ...resourceRoutes,
} as const;

export type Routes = typeof routes;
export type RouteName = keyof Routes;

export const everyRoute: readonly (readonly [RouteName, AnyRoute])[] = Object.entries<AnyRoute>(
  routes,
).filter((entry): entry is [RouteName, AnyRoute] => entry[0] in routes);
