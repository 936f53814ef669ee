import { type Application, destinationCluster, failureCause } from "@capstan/model";
import { setOf, shortRevision, sourcesOf } from "../../parts/application-facts.ts";
import { rightOn } from "../../parts/application-rights.ts";
import { conditionText } from "../../parts/condition-texts.ts";
import { type ClauseTime, describeApplication } from "../../parts/describe-application.ts";
import { ActionExtensions, StatusExtensions } from "../../parts/extensions/lazy-parts.ts";
import { useExtensions } from "../../parts/extensions/registry.ts";
import { report } from "../../parts/notices.tsx";
import type { TreeRoot } from "../../parts/tree/tree-items.ts";
import type { AppRef } from "../../paths.ts";
import { paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { Button } from "../../primitives/button.tsx";
import { CopyButton } from "../../primitives/copy-button.tsx";
import { withLocalTimes } from "../../primitives/durations.ts";
import { Glyph } from "../../primitives/glyph.tsx";
import { LinkList } from "../../primitives/link-list.tsx";
import { Menu } from "../../primitives/menu.tsx";
import { MiddleCut } from "../../primitives/middle-cut.tsx";
import { TimeAgo } from "../../primitives/time-ago.tsx";
import { TimeUntil } from "../../primitives/time-until.tsx";
import { terminateOperation } from "../../queries/actions.ts";
import { deploymentOf, useApplicationLinks, useRevision, useSyncWindows } from "../../queries/details.ts";
import { useCanEach } from "../../queries/rights.ts";
import { useSettings } from "../../queries/session.ts";
import { changeSearch } from "../../url-state.ts";
import { refresh } from "./use-application-keys.ts";

type Settings = NonNullable<ReturnType<typeof useSettings>["data"]>;

interface Props {
  app: Application;
  appRef: AppRef;
  root: TreeRoot;
}

export function Header({ app, appRef, root }: Props) {
  const { statuses } = useExtensions();
  return (
    <header className="app-head">
      <div className="app-title">
        <h1>{app.metadata.name}</h1>
        <CopyButton text={app.metadata.name} label="Copy the name" />
        <Actions app={app} appRef={appRef} />
      </div>
      <Sentence app={app} appRef={appRef} root={root} />
      <Facts app={app} appRef={appRef} />
      {statuses.length > 0 && (
        <div className="extension-statuses">
          <StatusExtensions app={app} />
        </div>
      )}
      <Conditions app={app} />
    </header>
  );
}

function Actions({ app, appRef }: Omit<Props, "root">) {
  const settings = useSettings().data;
  const [maySync, mayUpdate, mayDelete] = useCanEach(
    ["sync", "update", "delete"].map((action) => rightOn(app, action)),
  );
  const { actions } = useExtensions();
  const added = (middle: boolean) =>
    actions.length > 0 && <ActionExtensions app={app} appRef={appRef} middle={middle} />;
  const running = app.status?.operationState?.phase === "Running" || app.operation !== undefined;
  const stop = () =>
    report({ done: "The sync is being stopped", failed: `Could not stop the sync of ${appRef.name}` }, () =>
      terminateOperation(appRef),
    );
  return (
    <div className="app-actions">
      {maySync && running && (
        <Button icon="close" onClick={stop}>
          Stop sync
        </Button>
      )}
      {maySync && !running && !app.metadata.deletionTimestamp && (
        <Button
          look="primary"
          icon="sync"
          title="Sync (s)"
          onClick={() => changeSearch({ dialog: "sync" }, { push: true })}
        >
          Sync…
        </Button>
      )}
      {added(true)}
      <Button
        title="Compare with git and the cluster again (r)"
        onClick={() => void refresh(appRef, "normal")}
      >
        Refresh
      </Button>
      {added(false)}
      <Menu
        label="More actions"
        items={[
          { label: "Hard refresh", act: () => void refresh(appRef, "hard") },
          ...(settings?.statusBadgeEnabled
            ? [{ label: "Copy the badge as Markdown", act: () => copyBadge(appRef, settings) }]
            : []),
          {
            label: "History and rollback",
            hint: "h",
            act: () => changeSearch({ tab: "history" }, { push: true }),
          },
          ...(mayUpdate
            ? [{ label: "Edit…", act: () => changeSearch({ tab: "manifest", edit: "1" }, { push: true }) }]
            : []),
          ...(mayDelete
            ? [
                {
                  label: "Delete…",
                  danger: true,
                  act: () => changeSearch({ dialog: "delete" }, { push: true }),
                },
              ]
            : []),
        ]}
      />
    </div>
  );
}

/** Under the address that `statusbadge.url` names, or this page's own. */
function copyBadge({ name, namespace }: AppRef, { statusBadgeRootUrl, url }: Settings): void {
  const at = (root: string) => (root || location.origin).replace(/\/$/, "");
  const of = namespace ? `&namespace=${encodeURIComponent(namespace)}` : "";
  const badge = `${at(statusBadgeRootUrl || url)}/api/badge?name=${encodeURIComponent(name)}${of}&revision=true`;
  const page = `${at(url)}${location.pathname}`;
  void report({ done: "The badge was copied", failed: "Could not copy the badge" }, () =>
    navigator.clipboard.writeText(`[![${name}](${badge})](${page})`),
  );
}

function Sentence({ app, appRef, root }: Props) {
  const windows = useSyncWindows(appRef, deploymentOf(app)).data;
  const committedAt = useCommit(app, appRef)?.date;
  return (
    <p className="sentence">
      {describeApplication(app, root, { committedAt, windows }).map(({ look, text, times, resource }) => (
        <span key={text} className={`clause tone-${look.tone}`}>
          <Glyph name={look.glyph} tone={look.tone} />
          {resource ? (
            <Anchor href={paths.resource(appRef, resource)} className="clause-text">
              {text}
            </Anchor>
          ) : (
            <span className="clause-text">{text}</span>
          )}
          {times && times.length > 0 && (
            <span className="dim">
              {times.map((time, index) => (
                <span key={time.word}>
                  {index > 0 && ", "}
                  <Moment time={time} />
                </span>
              ))}
            </span>
          )}
        </span>
      ))}
    </p>
  );
}

function Moment({ time: { word, at } }: { time: ClauseTime }) {
  if (word === "in") return <TimeUntil at={at} />;
  return (
    <>
      {word && `${word} `}
      <TimeAgo at={at} />
    </>
  );
}

/** The commit that the first source is compared with. */
function useCommit(app: Application, appRef: AppRef) {
  const revision = app.status?.sync?.revision ?? app.status?.sync?.revisions?.[0];
  const repository = sourcesOf(app)[0]?.repoURL;
  return useRevision(appRef, { repository, revision, ofApp: true }).data;
}

function autoText(app: Application): string {
  const automated = app.spec.syncPolicy?.automated;
  if (!automated || automated.enabled === false) return "by hand";
  const extras = [automated.prune ? "prune" : "", automated.selfHeal ? "self-heal" : ""].filter(Boolean);
  return extras.length > 0 ? `automatic (${extras.join(", ")})` : "automatic";
}

function Facts({ app, appRef }: Omit<Props, "root">) {
  const sources = sourcesOf(app);
  const set = setOf(app);
  const first = sources[0];
  const revision = app.status?.sync?.revision ?? app.status?.sync?.revisions?.[0];
  const links = useApplicationLinks(appRef, deploymentOf(app)).data;
  const data = useCommit(app, appRef);
  return (
    <dl className="facts">
      <div className="fact-source">
        <dt>Source</dt>
        <dd>
          <MiddleCut text={first?.repoURL ?? ""} />
          <span className="dim">
            {" "}
            {first?.chart ?? first?.path} @ {first?.targetRevision || "HEAD"}
            {sources.length > 1 && ` and ${sources.length - 1} more`}
          </span>
        </dd>
      </div>
      {data && (
        <div className="fact-commit">
          <dt>Commit</dt>
          <dd title={data.message}>
            <code>{shortRevision(revision ?? "")}</code> {data.message?.split("\n", 1)[0]}{" "}
            <span className="dim">
              {data.author?.replace(/ <.*/, "")}
              {data.signatureInfo && ` · ${data.signatureInfo}`}
            </span>
          </dd>
        </div>
      )}
      <div>
        <dt>Into</dt>
        <dd>
          {app.spec.destination.namespace || "–"} <span className="dim">on {destinationCluster(app)}</span>
        </dd>
      </div>
      <div>
        <dt>Project</dt>
        <dd>{app.spec.project || "default"}</dd>
      </div>
      {set && (
        <div>
          <dt>Made by</dt>
          <dd title="What is changed here is changed back by the ApplicationSet">ApplicationSet {set}</dd>
        </div>
      )}
      <div>
        <dt>Sync</dt>
        <dd>{autoText(app)}</dd>
      </div>
      {links && links.items.length > 0 && (
        <div>
          <dt>Links</dt>
          <dd>
            <LinkList links={links.items} />
          </dd>
        </div>
      )}
      {app.status?.summary?.externalURLs?.map((url) => (
        <div key={url}>
          <dt>Open</dt>
          <dd>
            <a href={url} target="_blank" rel="noreferrer">
              {url.replace(/^https?:\/\//, "")}
            </a>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Conditions({ app }: { app: Application }) {
  const conditions = app.status?.conditions ?? [];
  if (conditions.length === 0) return null;
  return (
    <ul className="conditions">
      {conditions.map(({ type, message, lastTransitionTime }) => {
        const { title, next, bad } = conditionText(type);
        const cause = failureCause(message);
        return (
          <li key={type + message} className={bad ? "condition bad" : "condition"}>
            <Glyph name={bad ? "cross" : "unequal"} tone={bad ? "bad" : "warn"} />
            <div>
              <strong>{title}</strong> <TimeAgo at={lastTransitionTime} otherwise="" />
              {!message.startsWith(cause) && <p className="condition-cause">{cause}</p>}
              <p className="condition-message">{withLocalTimes(message)}</p>
              {next && <p className="dim">{next}</p>}
            </div>
          </li>
        );
      })}
    </ul>
  );
}
