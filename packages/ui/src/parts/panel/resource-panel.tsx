import type { Application } from "@capstan/model";
import { useEffect, useLayoutEffect, useRef } from "react";
import type { AppRef } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { Button } from "../../primitives/button.tsx";
import { CopyButton } from "../../primitives/copy-button.tsx";
import { StateTag } from "../../primitives/glyph.tsx";
import { LinkList } from "../../primitives/link-list.tsx";
import { healthLook, syncLook } from "../../primitives/states.ts";
import { TimeAgo } from "../../primitives/time-ago.tsx";
import { useResourceLinks } from "../../queries/details.ts";
import { useCan, useRight } from "../../queries/rights.ts";
import { useSettings } from "../../queries/session.ts";
import { changeSearch, useHrefWith, useSearch } from "../../url-state.ts";
import { otherRightOn } from "../application-rights.ts";
import { extensionTab } from "../extensions/application-extensions.ts";
import { ResourceExtensionView } from "../extensions/lazy-parts.ts";
import { type Extensions, useExtensions } from "../extensions/registry.ts";
import { LogView } from "../logs/log-view.tsx";
import { TerminalView } from "../terminal/lazy-terminal.tsx";
import { flatten, type TreeItem, type TreeRoot } from "../tree/tree-items.ts";
import { DesiredView, DifferenceView, LiveView, ResourceEvents } from "./panel-views.tsx";
import { ResourceActions } from "./resource-actions.tsx";

interface Props {
  app: Application;
  appRef: AppRef;
  root: TreeRoot;
  resourceKey: string;
}

export const panelViews = ["live", "desired", "diff", "events", "logs", "terminal"] as const;
type PanelView = (typeof panelViews)[number];
type ShownView = PanelView | `extension:${string}`;

const words: Record<PanelView, string> = {
  live: "Live",
  desired: "Desired",
  diff: "Diff",
  events: "Events",
  logs: "Logs",
  terminal: "Terminal",
};

const kindsWithLogs = ["Pod", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job"];

function viewsOf(item: TreeItem): PanelView[] {
  return panelViews.filter((view) => {
    if (view === "logs") return kindsWithLogs.includes(item.resource.kind);
    if (view === "terminal") return item.resource.kind === "Pod" && item.health !== "Missing";
    if (view === "desired" || view === "diff") return item.sync !== undefined;
    return true;
  });
}

function addedViews({ resource }: TreeItem, { resources }: Extensions): ShownView[] {
  return resources
    .filter(({ matches }) => matches(resource.group, resource.kind))
    .map(({ title }) => `extension:${title}` as const)
    .sort();
}

/** One object of the application, over the right part of the page. */
export function ResourcePanel({ app, appRef, root, resourceKey }: Props) {
  const search = useSearch();
  const panel = useRef<HTMLElement>(null);
  const item = flatten([...root.items, ...root.orphans]).find(({ key }) => key === resourceKey);
  const close = () => changeSearch({ resource: undefined, view: undefined, container: undefined });
  useFocusReturn();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another object takes the focus anew
  useEffect(() => panel.current?.focus({ preventScroll: true }), [resourceKey]);
  const extensions = useExtensions();
  const own = usePermittedViews(app, item);
  const views: readonly ShownView[] = item ? [...own, ...addedViews(item, extensions)] : own;
  const view = views.find((known) => known === search.view) ?? (item?.sync === "OutOfSync" ? "diff" : "live");
  const [, kind = "", , name = ""] = resourceKey.split("/");
  return (
    <aside className="panel" aria-label={`${kind} ${name}`} tabIndex={-1} ref={panel}>
      <header className="panel-head">
        <div className="panel-title">
          <span className="node-kind">{kind}</span>
          <h2>{name}</h2>
          <CopyButton text={name} label="Copy the name" />
          <span className="panel-actions">
            {item && <ResourceActions app={app} appRef={appRef} item={item} onClose={close} />}
            <Button look="quiet" icon="close" aria-label="Close" title="Close (Esc)" onClick={close} />
          </span>
        </div>
        {item && <PanelFacts item={item} appRef={appRef} />}
        {item && <ViewLine views={views} view={view} />}
      </header>
      <div className="panel-body">
        {item ? (
          // What came of another object is not shown as this one's until its own has come.
          <PanelBody key={item.key} {...{ app, appRef, item, view }} />
        ) : (
          <p className="note">This object is not in the cluster any more, nor in git.</p>
        )}
      </div>
    </aside>
  );
}

function usePermittedViews(app: Application, item: TreeItem | undefined): PanelView[] {
  const hasLogs = useRight(otherRightOn(app, "logs", "get")) !== false;
  const hasTerminals = useSettings().data?.execEnabled === true;
  const mayOpen = useCan(otherRightOn(app, "exec", "create"));
  const refused = new Set<PanelView>();
  if (!hasLogs) refused.add("logs");
  if (!hasTerminals || !mayOpen) refused.add("terminal");
  return item ? viewsOf(item).filter((view) => !refused.has(view)) : [];
}

/**
 * What the panel was opened from has the focus again in the moment that it closes; in a picture that has moved on, its
 * own place.
 */
function useFocusReturn(): void {
  useLayoutEffect(() => {
    const from = document.activeElement;
    return () => {
      const place =
        from?.isConnected && from !== document.body ? from : document.querySelector(".graph [tabindex='0']");
      if (place instanceof HTMLElement) place.focus({ preventScroll: true });
    };
  }, []);
}

function PanelFacts({ item, appRef }: { item: TreeItem; appRef: AppRef }) {
  return (
    <div className="panel-facts">
      {item.health !== undefined && <StateTag look={healthLook(item.health)} />}
      {item.sync !== undefined && <StateTag look={syncLook(item.sync)} />}
      {item.resource.namespace && <span className="dim">in {item.resource.namespace}</span>}
      {item.createdAt && (
        <span className="dim">
          created <TimeAgo at={item.createdAt} />
        </span>
      )}
      {item.info
        .filter(({ value }) => value !== "")
        .map(({ name, value }) => (
          <span key={name} className="chip">
            {name}: {value}
          </span>
        ))}
      {item.health !== "Missing" && <PanelLinks appRef={appRef} item={item} />}
      {item.message && <p className="panel-message">{item.message}</p>}
    </div>
  );
}

function PanelLinks({ appRef, item }: { appRef: AppRef; item: TreeItem }) {
  const { data } = useResourceLinks(appRef, item.resource, item.version);
  return data ? <LinkList links={data.items} /> : null;
}

function ViewLine({ views, view }: { views: readonly ShownView[]; view: ShownView }) {
  const hrefWith = useHrefWith();
  return (
    <nav className="tab-line" aria-label="Views of the object">
      {views.map((name) => (
        <Anchor
          key={name}
          href={hrefWith({ view: name })}
          replace
          className="tab"
          aria-current={name === view ? "page" : undefined}
        >
          {isAdded(name) ? name.slice(extensionTab("").length) : words[name]}
        </Anchor>
      ))}
    </nav>
  );
}

interface BodyProps {
  app: Application;
  appRef: AppRef;
  item: TreeItem;
  view: ShownView;
}

function isAdded(view: ShownView): view is `extension:${string}` {
  return view.startsWith(extensionTab(""));
}

function PanelBody({ app, appRef, item, view }: BodyProps) {
  if (isAdded(view)) return <ResourceExtensionView {...{ app, appRef, item, view }} />;
  switch (view) {
    case "live":
      return <LiveView app={app} appRef={appRef} item={item} />;
    case "desired":
      return <DesiredView app={app} appRef={appRef} item={item} />;
    case "diff":
      return <DifferenceView app={app} appRef={appRef} item={item} />;
    case "events":
      return <ResourceEvents appRef={appRef} item={item} />;
    case "logs":
      return <LogView appRef={appRef} item={item} />;
    case "terminal":
      return <TerminalView app={app} appRef={appRef} item={item} />;
  }
}
