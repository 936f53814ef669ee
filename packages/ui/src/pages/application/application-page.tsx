import { useMemo } from "react";
import { useParams } from "wouter";
import { applicationExtensions, extensionTab } from "../../parts/extensions/application-extensions.ts";
import { ApplicationExtension, ExtensionFlyout } from "../../parts/extensions/lazy-parts.ts";
import { useExtensions } from "../../parts/extensions/registry.ts";
import { useIsOld } from "../../parts/frame/connection-mark.tsx";
import { listHref } from "../../parts/list-memory.ts";
import { ResourcePanel } from "../../parts/panel/resource-panel.tsx";
import { TreeBook } from "../../parts/tree/tree-book.ts";
import { type AppRef, applicationTabs } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { Problem } from "../../primitives/problem.tsx";
import { SkeletonRows } from "../../primitives/skeleton.tsx";
import { useLiveApplication } from "../../queries/application.ts";
import { RequestFailure } from "../../streams/request-failure.ts";
import { useSearch } from "../../url-state.ts";
import { Announcer } from "./announcer.tsx";
import { ApplicationDialogs } from "./application-dialogs.tsx";
import { Header } from "./header.tsx";
import { TabBody, TabLine } from "./tabs.tsx";
import { useApplicationKeys } from "./use-application-keys.ts";

export function ApplicationPage() {
  const { namespace = "", name = "" } = useParams<Partial<AppRef>>();
  const ref: AppRef = useMemo(() => ({ namespace, name }), [namespace, name]);
  const { app, tree, failure, deleted } = useLiveApplication(ref);
  const search = useSearch();
  const old = useIsOld();
  const extensions = useExtensions();
  // biome-ignore lint/correctness/useExhaustiveDependencies: of each application another one
  const book = useMemo(() => new TreeBook(), [ref]);
  const root = useMemo(() => book.read(app, tree), [book, app, tree]);
  const isGone =
    deleted || (app !== undefined && failure instanceof RequestFailure && failure.status === 404);
  useApplicationKeys(ref, isGone || failure !== undefined ? undefined : app);
  if (isGone) return <Deleted appRef={ref} />;
  if (failure) return <Absent appRef={ref} failure={failure} />;
  if (!app) return <SkeletonRows rows={8} height={44} />;
  const added = applicationExtensions(extensions, app).map(({ title }) => title);
  const extension = added.find((title) => extensionTab(title) === search.tab);
  const tab = applicationTabs.find((known) => known === search.tab) ?? "tree";
  return (
    <div
      className={`application-page tab-${extension === undefined ? tab : "extension"}${old ? " old" : ""}`}
    >
      <Header app={app} appRef={ref} root={root} />
      <TabLine
        appRef={ref}
        tab={extension === undefined ? tab : extensionTab(extension)}
        {...{ app, added }}
      />
      <section className="tab-body" aria-label={extension ?? tab}>
        {extension === undefined ? (
          <TabBody {...{ tab, app, root }} appRef={ref} />
        ) : (
          <ApplicationExtension app={app} appRef={ref} tab={extensionTab(extension)} />
        )}
      </section>
      {search.extension && <ExtensionFlyout app={app} appRef={ref} id={search.extension} />}
      {search.resource && <ResourcePanel {...{ app, root }} appRef={ref} resourceKey={search.resource} />}
      <ApplicationDialogs app={app} appRef={ref} dialog={search.dialog} />
      <Announcer app={app} />
    </div>
  );
}

/** Nothing of what it was is offered any more. */
function Deleted({ appRef }: { appRef: AppRef }) {
  return (
    <div className="lone">
      <h1>{appRef.name}</h1>
      <p role="alert">This application has been deleted.</p>
      <p>
        <Anchor href={listHref()}>Go to the applications</Anchor>
      </p>
    </div>
  );
}

function Absent({ appRef, failure }: { appRef: AppRef; failure: unknown }) {
  return (
    <div className="lone">
      <h1>{appRef.name}</h1>
      <Problem
        title={`The application ${appRef.namespace}/${appRef.name} cannot be shown`}
        failure={failure}
        next={<Anchor href={listHref()}>Go to the applications</Anchor>}
      />
    </div>
  );
}
