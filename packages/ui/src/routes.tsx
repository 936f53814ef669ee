import { Redirect, Route, Router, Switch } from "wouter";
import { ExtensionPage } from "./parts/extensions/extension-page.ts";
import { useExtensions } from "./parts/extensions/registry.ts";
import { Frame } from "./parts/frame/frame.tsx";
import { isWithin } from "./parts/frame/navigation-bar.tsx";
import { useOperatorStyles } from "./parts/operator-styles.ts";
import { NotFound, PageGuard } from "./parts/page-failure.tsx";
import { paths } from "./paths.ts";
import { type LazyComponent, lazyPart } from "./primitives/lazy-part.tsx";
import { SkeletonRows } from "./primitives/skeleton.tsx";
import { useSettings } from "./queries/session.ts";
import { serverUrl } from "./server-url.ts";
import { usePathname } from "./url-state.ts";

const LoginPage = lazyPart("The login", async () => ({
  default: (await import("./pages/login-page.tsx")).LoginPage,
}));

/** Every page within the frame. A part that is called like a variable comes from `useParams`. */
const framed: readonly { path: string; page: LazyComponent<object> }[] = [
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
    path: "/resources",
    page: lazyPart("The list of resources", async () => ({
      default: (await import("./pages/resources/resources-page.tsx")).ResourcesPage,
    })),
  },
  {
    path: "/repositories",
    page: lazyPart("The list of repositories", async () => ({
      default: (await import("./pages/places/repositories-page.tsx")).RepositoriesPage,
    })),
  },
  {
    path: "/clusters",
    page: lazyPart("The list of clusters", async () => ({
      default: (await import("./pages/places/clusters-page.tsx")).ClustersPage,
    })),
  },
  {
    path: "/projects",
    page: lazyPart("The list of projects", async () => ({
      default: (await import("./pages/projects/projects-page.tsx")).ProjectsPage,
    })),
  },
  {
    path: "/projects/:name",
    page: lazyPart("The project's page", async () => ({
      default: (await import("./pages/projects/project-page.tsx")).ProjectPage,
    })),
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
      default: (await import("./pages/settings/settings-page.tsx")).SettingsPage,
    })),
  },
  {
    path: "/settings/accounts",
    page: lazyPart("The list of accounts", async () => ({
      default: (await import("./pages/settings/accounts-page.tsx")).AccountsPage,
    })),
  },
  {
    path: "/settings/certificates",
    page: lazyPart("The list of certificates", async () => ({
      default: (await import("./pages/settings/certificates-page.tsx")).CertificatesPage,
    })),
  },
  {
    path: "/settings/gpg-keys",
    page: lazyPart("The list of keys", async () => ({
      default: (await import("./pages/settings/gpg-keys-page.tsx")).GpgKeysPage,
    })),
  },
  {
    path: "/settings/notifications",
    page: lazyPart("The list of notifications", async () => ({
      default: (await import("./pages/settings/notifications-page.tsx")).NotificationsPage,
    })),
  },
];

/** Fetches the page at `pathname` while the frame is not drawn yet. */
export function loadPageAt(pathname: string): void {
  const parts = pathname.split("/");
  const found = framed.find(({ path }) => {
    const wanted = path.split("/");
    return (
      wanted.length === parts.length && wanted.every((part, at) => part[0] === ":" || part === parts[at])
    );
  });
  // What cannot be fetched says so where it would be shown.
  found?.page.load().catch(() => undefined);
}

/** A page of an extension, as soon as there is one. */
function ElsewherePage() {
  const pathname = usePathname();
  const { pages, isLoaded } = useExtensions();
  const hasExtensions = useSettings().data?.pageExtensions ?? false;
  const found = pages.find(({ path }) => isWithin(pathname, path));
  if (found) return <ExtensionPage path={found.path} />;
  return hasExtensions && !isLoaded ? <SkeletonRows rows={8} height={44} /> : <NotFound />;
}

export function Pages() {
  useOperatorStyles();
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
                <Route component={ElsewherePage} />
              </Switch>
            </Frame>
          </Route>
        </Switch>
      </Router>
    </PageGuard>
  );
}
