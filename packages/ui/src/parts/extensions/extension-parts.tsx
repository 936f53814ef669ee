import type { Application } from "@capstan/model";
import { useEffect, useRef } from "react";
import type { AppRef } from "../../paths.ts";
import { Button } from "../../primitives/button.tsx";
import { Problem } from "../../primitives/problem.tsx";
import { SkeletonRows } from "../../primitives/skeleton.tsx";
import { useTree } from "../../queries/application.ts";
import { useLiveManifest } from "../../queries/details.ts";
import { resourceTitle } from "../../resource-id.ts";
import { changeSearch } from "../../url-state.ts";
import { parseObject } from "../code/object-text.ts";
import type { TreeItem } from "../tree/tree-items.ts";
import { extensionTab, wants } from "./application-extensions.ts";
import { ExtensionGuard } from "./extension-guard.tsx";
import { type ActionExtension, useExtensions } from "./registry.ts";

interface Props {
  readonly app: Application;
  readonly appRef: AppRef;
}

const noTree = { nodes: [], orphanedNodes: [] };

/** As an extension finds it in its address (`?extension=`), Argo CD's own. */
const openFlyout = (id: string) => changeSearch({ extension: id, resource: undefined }, { push: true });

/** Beside an application's facts. */
export function StatusExtensions({ app }: { app: Application }) {
  return useExtensions().statuses.map(({ id, title, component: Part }) => (
    <section key={`${id}/${title}`} className="extension-status" aria-label={title}>
      <ExtensionGuard title={title}>
        <Part application={app} openFlyout={() => openFlyout(id)} />
      </ExtensionGuard>
    </section>
  ));
}

/** Among an application's actions. */
export function ActionExtensions({ app, appRef, middle }: Props & { middle: boolean }) {
  const tree = useTree(appRef) ?? noTree;
  const shown = useExtensions().actions.filter(
    ({ isMiddle, shouldDisplay }) => isMiddle === middle && wants(shouldDisplay, app),
  );
  return shown.map((action) => {
    const { id, title, component: Part } = action;
    return (
      <ExtensionGuard key={`${id}/${title}`} title={title}>
        <Button className="extension-action" title={title} onClick={() => openOf(action)}>
          <Part application={app} tree={tree} openFlyout={() => openOf(action)} />
        </Button>
      </ExtensionGuard>
    );
  });
}

function openOf({ id, flyout }: ActionExtension): void {
  if (flyout) openFlyout(id);
}

/** What a status or an action opens, over the right part of the page. */
export function ExtensionFlyout({ app, appRef, id }: Props & { id: string }) {
  const { statuses, actions, isLoaded } = useExtensions();
  const tree = useTree(appRef) ?? noTree;
  const panel = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another extension takes the focus anew
  useEffect(() => panel.current?.focus({ preventScroll: true }), [id]);
  const found = [...statuses, ...actions].find((one) => one.id === id && one.flyout);
  const title = found?.title ?? id;
  const Part = found?.flyout;
  return (
    <aside className="panel" aria-label={title} tabIndex={-1} ref={panel}>
      <header className="panel-head">
        <div className="panel-title">
          <h2>{title}</h2>
          <span className="panel-actions">
            <Button
              {...{ look: "quiet", icon: "close", "aria-label": "Close", title: "Close (Esc)" }}
              onClick={() => changeSearch({ extension: undefined })}
            />
          </span>
        </div>
      </header>
      <div className="panel-body extension">
        {Part && (
          <ExtensionGuard key={id} title={title}>
            <Part application={app} tree={tree} />
          </ExtensionGuard>
        )}
        {!Part && isLoaded && <p className="note">There is no extension “{id}” here.</p>}
      </div>
    </aside>
  );
}

/** One of an application's tabs. */
export function ApplicationExtension({ app, appRef, tab }: Props & { tab: string }) {
  const { views, resources } = useExtensions();
  const tree = useTree(appRef) ?? noTree;
  const view = views.find(({ title }) => extensionTab(title) === tab);
  const ofObject = resources.find(
    ({ title, matches }) => extensionTab(title) === tab && matches("argoproj.io", "Application"),
  );
  const title = view?.title ?? ofObject?.title ?? "";
  return (
    <div className="extension extension-page">
      <ExtensionGuard key={tab} title={title}>
        {view && <Asked view={view} app={app} />}
        {view && <view.component application={app} tree={tree} />}
        {!view && ofObject && <ofObject.component application={app} resource={app} tree={tree} />}
      </ExtensionGuard>
    </div>
  );
}

/** Where the tab's own question fails it is here that it is seen. */
function Asked({ view, app }: { view: { shouldDisplay(app: Application): boolean }; app: Application }) {
  view.shouldDisplay(app);
  return null;
}

/** A view of one object. */
export function ResourceExtensionView({ app, appRef, item, view }: Props & { item: TreeItem; view: string }) {
  const { resources } = useExtensions();
  const tree = useTree(appRef) ?? noTree;
  const { group, kind } = item.resource;
  const { data, error, isPending } = useLiveManifest(appRef, item.resource, item.version);
  const found = resources.find(({ title, matches }) => extensionTab(title) === view && matches(group, kind));
  const about = resourceTitle(item.resource);
  if (item.health === "Missing") return <p className="note">{about} is not in the cluster.</p>;
  if (error) return <Problem title={`${about} cannot be read from the cluster`} failure={error} />;
  const resource = parseObject(data?.manifest);
  if (isPending || !resource) return <SkeletonRows rows={8} height={20} />;
  return (
    found && (
      <div className="extension">
        <ExtensionGuard key={view} title={found.title}>
          <found.component application={app} resource={resource} tree={tree} />
        </ExtensionGuard>
      </div>
    )
  );
}

/** A page of its own, at its own path. */
export function ExtensionPage({ path }: { path: string }) {
  const found = useExtensions().pages.find((page) => page.path === path);
  if (!found) return null;
  return (
    <div className="extension extension-page">
      <h1 className="visually-hidden">{found.title}</h1>
      <ExtensionGuard key={path} title={found.title}>
        <found.component />
      </ExtensionGuard>
    </div>
  );
}
