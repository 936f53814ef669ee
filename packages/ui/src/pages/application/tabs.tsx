import type { Application } from "@capstan/model";
import type { ReactNode } from "react";
import { otherRightOn } from "../../parts/application-rights.ts";
import { extensionTab } from "../../parts/extensions/application-extensions.ts";
import type { TreeRoot } from "../../parts/tree/tree-items.ts";
import { TreeView } from "../../parts/tree/tree-view.tsx";
import { type ApplicationTab, type AppRef, applicationTabs, paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { lazyPart } from "../../primitives/lazy-part.tsx";
import { useCurrentShown } from "../../primitives/use-current-shown.ts";
import { comparisonOf, useDifferences } from "../../queries/details.ts";
import { useRight } from "../../queries/rights.ts";
import { EventsTab } from "./events-tab.tsx";
import { LogsTab } from "./logs-tab.tsx";
import { ManifestTab } from "./manifest-tab.tsx";

/** With the view of differences, which it is nothing without. */
const LazyDiffTab = lazyPart("The difference", async () => {
  const [{ DiffTab }] = await Promise.all([
    import("./diff-tab.tsx"),
    import("../../parts/code/diff-view.tsx"),
  ]);
  return { default: DiffTab };
});

/** What it shows is asked for while it comes itself. */
function DiffTab(props: { app: Application; appRef: AppRef }) {
  useDifferences(props.appRef, comparisonOf(props.app));
  return <LazyDiffTab {...props} />;
}
const HistoryTab = lazyPart("The history", async () => ({
  default: (await import("./history-tab.tsx")).HistoryTab,
}));
const PipelineTab = lazyPart("The pipeline", async () => ({
  default: (await import("./pipeline-tab.tsx")).PipelineTab,
}));

/** Comes when it is first looked at: the forms bring a reader of YAML. */
const ParametersTab = lazyPart(
  "The form of the parameters",
  () => import("../parameters/parameters-tab.tsx"),
  {
    rows: 6,
    height: 56,
  },
);

const words: Record<ApplicationTab, string> = {
  tree: "Tree",
  diff: "Diff",
  pipeline: "Pipeline",
  events: "Events",
  history: "History",
  logs: "Logs",
  parameters: "Parameters",
  manifest: "Manifest",
};

interface LineProps {
  appRef: AppRef;
  tab: string;
  app: Application;
  /** Titles of what extensions add. */
  added: readonly string[];
}

export function TabLine({ appRef, tab, app, added }: LineProps) {
  const line = useCurrentShown(tab);
  const hasLogs = useRight(otherRightOn(app, "logs", "get")) !== false;
  const shown = applicationTabs.filter((name) => name !== "logs" || hasLogs);
  const changed = (app.status?.resources ?? []).filter(({ status }) => status === "OutOfSync").length;
  return (
    <nav ref={line} className="tab-line" aria-label="Parts of the application">
      {shown.map((name) => (
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
      {added.map((title) => (
        <Anchor
          key={title}
          href={paths.application(appRef, { tab: extensionTab(title) })}
          className="tab"
          aria-current={extensionTab(title) === tab ? "page" : undefined}
        >
          {title}
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
      return <LogsTab app={app} appRef={appRef} root={root} />;
    case "parameters":
      return <ParametersTab app={app} appRef={appRef} />;
    case "manifest":
      return <ManifestTab app={app} appRef={appRef} />;
  }
}
