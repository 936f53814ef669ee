import type { Application } from "@capstan/model";
import { type ReactNode, useMemo } from "react";
import type { AppRef } from "../../paths.ts";
import { CopyButton } from "../../primitives/copy-button.tsx";
import { lazyPart } from "../../primitives/lazy-part.tsx";
import { useNarrow } from "../../primitives/narrow.ts";
import { Problem } from "../../primitives/problem.tsx";
import { SkeletonRows } from "../../primitives/skeleton.tsx";
import {
  comparisonOf,
  useDesired,
  useDifference,
  useEvents,
  useLiveManifest,
} from "../../queries/details.ts";
import { resourceTitle } from "../../resource-id.ts";
import { useSearch } from "../../url-state.ts";
import { rightOnObject } from "../application-rights.ts";
import { diffTexts } from "../code/diff-texts.ts";
import { DiffTools, NoiseChoice } from "../code/diff-tools.tsx";
import { Code, Diff } from "../code/lazy-code.tsx";
import { objectText, parseObject } from "../code/object-text.ts";
import { Unpredicted } from "../code/unpredicted.tsx";
import { EventTable } from "../event-table.tsx";
import { DialogButton } from "../forms/rightful.tsx";
import type { TreeItem } from "../tree/tree-items.ts";

interface Props {
  appRef: AppRef;
  item: TreeItem;
}

/** Comes when the first object is edited. */
const EditObject = lazyPart("The editor", () => import("../edit/edit-object.tsx"), { rows: 0 });

function CodeWithTools({ text, label, children }: { text: string; label: string; children?: ReactNode }) {
  return (
    <>
      <div className="tools">
        <NoiseChoice />
        <CopyButton text={text} label="Copy the YAML" />
        {children}
      </div>
      <Code text={text} label={label} />
    </>
  );
}

export function LiveView({ app, appRef, item }: Props & { app: Application }) {
  const noise = useSearch().noise === "1";
  const missing = item.health === "Missing";
  const { data, error, isPending } = useLiveManifest(appRef, item.resource, item.version);
  const text = useMemo(
    () => objectText(parseObject(data?.manifest), { noise, status: true }),
    [data?.manifest, noise],
  );
  const title = resourceTitle(item.resource);
  if (missing) return <p className="note">{title} is in git but not in the cluster. A sync creates it.</p>;
  if (error) return <Problem title={`${title} cannot be read from the cluster`} failure={error} />;
  if (isPending) return <SkeletonRows rows={12} height={20} />;
  return (
    <CodeWithTools text={text} label={`${title}, live`}>
      {!isSecret(item) && (
        <DialogButton
          right={rightOnObject(app, "update", item.resource)}
          label="Edit…"
          about={title}
          look="plain"
          dialog={(close) => (
            <EditObject appRef={appRef} resource={item.resource} manifest={data.manifest} onClose={close} />
          )}
        />
      )}
    </CodeWithTools>
  );
}

/** Its values are not shown, so they cannot be edited. */
function isSecret({ resource: { group, kind } }: TreeItem): boolean {
  return kind === "Secret" && !group;
}

export function DesiredView({ app, appRef, item }: Props & { app: Application }) {
  const noise = useSearch().noise === "1";
  const { found, error, isPending } = useDesired(appRef, item.resource, comparisonOf(app));
  const title = resourceTitle(item.resource);
  if (error) return <Problem title={`What git says of ${title} cannot be read`} failure={error} />;
  if (isPending) return <SkeletonRows rows={12} height={20} />;
  if (!found?.targetState)
    return <p className="note">{title} is not in git. A sync with prune deletes it.</p>;
  const text = objectText(parseObject(found.targetState), { noise, status: true });
  return <CodeWithTools text={text} label={`${title}, desired`} />;
}

export function DifferenceView({ app, appRef, item }: Props & { app: Application }) {
  const search = useSearch();
  const narrow = useNarrow();
  const { found, error, isPending } = useDifference(appRef, item.resource, comparisonOf(app));
  const title = resourceTitle(item.resource);
  if (error) return <Problem title={`The difference of ${title} cannot be read`} failure={error} />;
  if (isPending) return <SkeletonRows rows={8} height={20} />;
  if (!found)
    return <p className="note">{title} does not come from git, so there is nothing to compare with.</p>;
  const { before, after } = diffTexts(found, search.noise === "1");
  const sideBySide = search.diff === "beside" && !narrow;
  return (
    <>
      <DiffTools sideBySide={sideBySide} />
      <Unpredicted because={found.unpredicted} />
      <Diff before={before} after={after} label={title} sideBySide={sideBySide} />
    </>
  );
}

export function ResourceEvents({ appRef, item }: Props) {
  const { uid, name, namespace } = item.resource;
  const query = useEvents(
    appRef,
    { resourceUID: uid, resourceName: name, resourceNamespace: namespace },
    item.version,
  );
  return <EventTable query={query} about={resourceTitle(item.resource)} />;
}
