import type { ComponentType } from "react";
import { Redirect, Route, Router, Switch } from "wouter";
import { Frame } from "./parts/frame/frame.tsx";
import { NotFound, PageGuard } from "./parts/page-failure.tsx";
import { paths } from "./paths.ts";
import { lazyPart } from "./primitives/lazy-part.tsx";
import { serverUrl } from "./server-url.ts";

const LoginPage = lazyPart("The login", async () => ({
  default: (await import("./pages/login-page.tsx")).LoginPage,
}));

const loadPlaces = () => import("./pages/places/places-pages.tsx");

/** Every page within the frame. A part that is called like a variable comes from `useParams`. */
const framed: readonly { path: string; page: ComponentType }[] = [
  {
    path: "/applications",
    page: lazyPart("The list", async () => ({
      default: (await import("./pages/list/list-page.tsx")).ListPage,
    })),
  },
  {
    path: "/applications/new",
    page: lazyPart("The form", async () => ({
      default: (await import("./pages/create/create-page.tsx")).CreatePage,
    })),
  },
  {
    path: "/applications/:namespace/:name",
    page: lazyPart("The application's page", async () => ({
      default: (await import("./pages/application/application-page.tsx")).ApplicationPage,
    })),
  },
  {
    path: "/applicationsets",
    page: lazyPart("The list of ApplicationSets", async () => ({
      default: (await import("./pages/application-sets/application-sets-page.tsx")).ApplicationSetsPage,
    })),
  },
  {
    path: "/applicationsets/:namespace/:name",
    page: lazyPart("The ApplicationSet's page", async () => ({
      default: (await import("./pages/application-sets/application-set-page.tsx")).ApplicationSetPage,
    })),
  },
  {
    path: "/repositories",
    page: lazyPart("The list of repositories", async () => ({
      default: (await loadPlaces()).RepositoriesPage,
    })),
  },
  {
    path: "/clusters",
    page: lazyPart("The list of clusters", async () => ({ default: (await loadPlaces()).ClustersPage })),
  },
  {
    path: "/projects",
    page: lazyPart("The list of projects", async () => ({ default: (await loadPlaces()).ProjectsPage })),
  },
  {
    path: "/plugins",
    page: lazyPart("The list of plugins", async () => ({
      default: (await import("./pages/places/plugins-page.tsx")).PluginsPage,
    })),
  },
  {
    path: "/settings",
    page: lazyPart("The settings", async () => ({
      default: (await import("./pages/places/settings-page.tsx")).SettingsPage,
    })),
  },
];

export function Pages() {
  return (
    <PageGuard>
      <Router base={serverUrl("")}>
        <Switch>
          <Route path="/">
            <Redirect href={paths.applications()} replace />
          </Route>
          <Route path="/login" component={LoginPage} />
          <Route>
            <Frame>
              <Switch>
                {framed.map(({ path, page: Page }) => (
                  <Route key={path} path={path}>
                    <Page />
                  </Route>
                ))}
                <Route component={NotFound} />
              </Switch>
            </Frame>
          </Route>
        </Switch>
      </Router>
    </PageGuard>
  );
}
