import { applicationRoutes } from "./application-routes.ts";
import { otherRoutes } from "./other-routes.ts";

/** Every REST call there is. Servers mount handlers by these names, clients call by them. */
export const routes = { ...applicationRoutes, ...otherRoutes } as const;

export type Routes = typeof routes;
export type RouteName = keyof Routes;
