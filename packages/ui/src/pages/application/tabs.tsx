import type { Application } from "@capstan/model";
import type { ReactNode } from "react";
import type { TreeRoot } from "../../parts/tree/tree-items.ts";
import { TreeView } from "../../parts/tree/tree-view.tsx";
import { type ApplicationTab, type AppRef, applicationTabs, paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { DiffTab } from "./diff-tab.tsx";
import { EventsTab } from "./events-tab.tsx";
import { HistoryTab } from "./history-tab.tsx";
import { LogsTab } from "./logs-tab.tsx";
import { ManifestTab } from "./manifest-tab.tsx";
import { PipelineTab } from "./pipeline-tab.tsx";

const words: Record<ApplicationTab, string> = {
  tree: "Tree",
  diff: "Diff",
  pipeline: "Pipeline",
  events: "Events",
  history: "History",
  logs: "Logs",
  manifest: "Manifest",
};

export function TabLine({ appRef, tab, app }: { appRef: AppRef; tab: ApplicationTab; app: Application }) {
  const changed = (app.status?.resources ?? []).filter(({ status }) => status === "OutOfSync").length;
  return (
    <nav className="tab-line" aria-label="Parts of the application">
      {applicationTabs.map((name) => (
        <Anchor
          key={name}
          href={paths.applicationTab(appRef, name)}
          className="tab"
          aria-current={name === tab ? "page" : undefined}
        >
          {words[name]}
          {name === "diff" && changed > 0 && <span className="tab-count">{changed}</span>}
        </Anchor>
      ))}
    </nav>
  );
}

interface BodyProps {
  tab: ApplicationTab;
  app: Application;
  appRef: AppRef;
  root: TreeRoot;
}

export function TabBody({ tab, app, appRef, root }: BodyProps): ReactNode {
  switch (tab) {
    case "tree":
      return <TreeView app={app} root={root} />;
    case "diff":
      return <DiffTab app={app} appRef={appRef} />;
    case "pipeline":
      return <PipelineTab app={app} appRef={appRef} />;
    case "events":
      return <EventsTab app={app} appRef={appRef} />;
    case "history":
      return <HistoryTab app={app} appRef={appRef} />;
    case "logs":
      return <LogsTab appRef={appRef} root={root} />;
    case "manifest":
      return <ManifestTab app={app} />;
  }
}
