import assert from "node:assert/strict";
import { test } from "node:test";
import { paths, readSearch, searchText } from "./paths.ts";

test("every link of the product", () => {
  const app = { namespace: "argocd", name: "guestbook" };
  assert.deepEqual(
    {
      home: paths.home(),
      login: paths.login(),
      loginAndBack: paths.login("/applications?health=Degraded&q=a b"),
      applications: paths.applications(),
      filtered: paths.applications({ health: "Degraded,Missing", q: "shop & more", sort: undefined }),
      newApplication: paths.newApplication(),
      application: paths.application(app),
      oddNames: paths.application({ namespace: "a/b", name: "c d" }),
      treeTab: paths.applicationTab(app, "tree"),
      diffTab: paths.applicationTab(app, "diff"),
      resource: paths.resource(app, "apps/Deployment/default/web"),
      resourceDiff: paths.resource(app, "/Service/default/web", "diff"),
      syncDialog: paths.syncDialog(app),
      rollbackDialog: paths.rollbackDialog(app, 3),
      deleteDialog: paths.deleteDialog(app),
      applicationSets: paths.applicationSets(),
      applicationSet: paths.applicationSet(app),
      resources: paths.resources({ image: "nginx:1.27" }),
      repositories: paths.repositories(),
      clusters: paths.clusters(),
      projects: paths.projects(),
      project: paths.project("team a"),
      plugins: paths.plugins(),
      settings: paths.settings(),
      accounts: paths.settings("accounts"),
    },
    {
      home: "/",
      login: "/login",
      loginAndBack: "/login?return=/applications%3Fhealth%3DDegraded%26q%3Da%20b",
      applications: "/applications",
      filtered: "/applications?health=Degraded,Missing&q=shop%20%26%20more",
      newApplication: "/applications/new",
      application: "/applications/argocd/guestbook",
      oddNames: "/applications/a%2Fb/c%20d",
      treeTab: "/applications/argocd/guestbook",
      diffTab: "/applications/argocd/guestbook?tab=diff",
      resource: "/applications/argocd/guestbook?resource=apps/Deployment/default/web",
      resourceDiff: "/applications/argocd/guestbook?resource=/Service/default/web&view=diff",
      syncDialog: "/applications/argocd/guestbook?dialog=sync",
      rollbackDialog: "/applications/argocd/guestbook?tab=history&dialog=rollback:3",
      deleteDialog: "/applications/argocd/guestbook?dialog=delete",
      applicationSets: "/applicationsets",
      applicationSet: "/applicationsets/argocd/guestbook",
      resources: "/resources?image=nginx:1.27",
      repositories: "/repositories",
      clusters: "/clusters",
      projects: "/projects",
      project: "/projects/team%20a",
      plugins: "/plugins",
      settings: "/settings",
      accounts: "/settings/accounts",
    },
  );
});

test("an address reads back as it was written", () => {
  const search = { q: "a+b=c&d/e:f,g %20", group: "label:team" };
  assert.deepEqual(readSearch(searchText(search)), search);
});
