import { createRootRoute, createRoute, createRouter, redirect } from "@tanstack/react-router";
import { pageHistory } from "./page-history.ts";
import { Frame } from "./parts/frame/frame.tsx";
import { NotFound, PageFailure } from "./parts/page-failure.tsx";
import { paths, readSearch, searchText } from "./paths.ts";
import { lazyPart } from "./primitives/lazy-part.tsx";

const root = createRootRoute({ notFoundComponent: NotFound, errorComponent: PageFailure });

const frame = createRoute({ getParentRoute: () => root, id: "frame", component: Frame });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ href: paths.applications() });
  },
});

const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  component: lazyPart("The login", async () => ({
    default: (await import("./pages/login-page.tsx")).LoginPage,
  })),
});

const applications = createRoute({
  getParentRoute: () => frame,
  path: "/applications",
  component: lazyPart("The list", async () => ({
    default: (await import("./pages/list/list-page.tsx")).ListPage,
  })),
});

const newApplication = createRoute({
  getParentRoute: () => frame,
  path: "/applications/new",
  component: lazyPart("The form", async () => ({
    default: (await import("./pages/create/create-page.tsx")).CreatePage,
  })),
});

const application = createRoute({
  getParentRoute: () => frame,
  path: "/applications/$namespace/$name",
  component: lazyPart("The application's page", async () => ({
    default: (await import("./pages/application/application-page.tsx")).ApplicationPage,
  })),
});

const applicationSets = createRoute({
  getParentRoute: () => frame,
  path: "/applicationsets",
  component: lazyPart("The list of ApplicationSets", async () => ({
    default: (await import("./pages/application-sets/application-sets-page.tsx")).ApplicationSetsPage,
  })),
});

const applicationSet = createRoute({
  getParentRoute: () => frame,
  path: "/applicationsets/$namespace/$name",
  component: lazyPart("The ApplicationSet's page", async () => ({
    default: (await import("./pages/application-sets/application-set-page.tsx")).ApplicationSetPage,
  })),
});

const loadPlaces = () => import("./pages/places/places-pages.tsx");

const repositories = createRoute({
  getParentRoute: () => frame,
  path: "/repositories",
  component: lazyPart("The list of repositories", async () => ({
    default: (await loadPlaces()).RepositoriesPage,
  })),
});

const clusters = createRoute({
  getParentRoute: () => frame,
  path: "/clusters",
  component: lazyPart("The list of clusters", async () => ({ default: (await loadPlaces()).ClustersPage })),
});

const projects = createRoute({
  getParentRoute: () => frame,
  path: "/projects",
  component: lazyPart("The list of projects", async () => ({ default: (await loadPlaces()).ProjectsPage })),
});

const plugins = createRoute({
  getParentRoute: () => frame,
  path: "/plugins",
  component: lazyPart("The list of plugins", async () => ({
    default: (await import("./pages/places/plugins-page.tsx")).PluginsPage,
  })),
});

const settings = createRoute({
  getParentRoute: () => frame,
  path: "/settings",
  component: lazyPart("The settings", async () => ({
    default: (await import("./pages/places/settings-page.tsx")).SettingsPage,
  })),
});

const framed = frame.addChildren([
  applications,
  newApplication,
  application,
  applicationSets,
  applicationSet,
  repositories,
  clusters,
  projects,
  plugins,
  settings,
]);

/** The search stays flat text (see paths.ts): no JSON in addresses that people send to each other. */
export const router = createRouter({
  history: pageHistory(),
  routeTree: root.addChildren([home, login, framed]),
  parseSearch: readSearch,
  stringifySearch: (search) =>
    searchText(Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)]))),
  scrollRestoration: false,
  defaultPendingMs: 300,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
