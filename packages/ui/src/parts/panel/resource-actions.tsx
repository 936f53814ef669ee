import type { Application } from "@capstan/model";
import { routes } from "@capstan/wire";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type AppRef, paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { Button } from "../../primitives/button.tsx";
import { Dialog } from "../../primitives/dialog.tsx";
import { Menu } from "../../primitives/menu.tsx";
import { deleteResource } from "../../queries/actions.ts";
import { ask } from "../../queries/ask.ts";
import { useCanEach } from "../../queries/rights.ts";
import { resourceIn } from "../../queries/scope.ts";
import { resourceTitle } from "../../resource-id.ts";
import { changeSearch } from "../../url-state.ts";
import { objectCount } from "../application-facts.ts";
import { rightOn, rightOnObject } from "../application-rights.ts";
import { report } from "../notices.tsx";
import type { TreeItem } from "../tree/tree-items.ts";
import { ActionDialog, actionWord, type OfferedAction } from "./action-dialog.tsx";

interface Props {
  app: Application;
  appRef: AppRef;
  item: TreeItem;
  onClose(): void;
}

export function ResourceActions({ app, appRef, item, onClose }: Props) {
  const [deleting, setDeleting] = useState(false);
  const [asked, setAsked] = useState<OfferedAction>();
  const { data } = useQuery({
    ...ask(routes.listResourceActions, resourceIn(appRef, item.resource)),
    retry: false,
  });
  const title = resourceTitle(item.resource);
  const { namespace, name } = item.resource;
  const syncIt = () =>
    changeSearch({ dialog: "sync", objects: item.key, resource: undefined, view: undefined }, { push: true });
  const { group = "", kind } = item.resource;
  const offered = (data?.actions ?? []).filter(({ disabled }) => !disabled);
  const [maySync, mayDelete, ...mayRun] = useCanEach([
    rightOn(app, "sync"),
    rightOnObject(app, "delete", item.resource),
    ...offered.map((action) => rightOn(app, `action/${group}/${kind}/${action.name}`)),
  ]);
  const isSyncable = maySync && item.sync !== undefined && !item.isHook;
  const isMissing = item.health === "Missing";
  const items = [
    ...(isSyncable ? [{ label: "Sync only this…", act: syncIt }] : []),
    ...(isMissing ? [] : offered)
      .filter((_action, index) => mayRun[index])
      .map((action) => ({
        label: `${actionWord(action)}…`,
        act: () => setAsked(action),
      })),
    ...(mayDelete && !isMissing
      ? [{ label: "Delete from the cluster…", danger: true, act: () => setDeleting(true) }]
      : []),
  ];
  return (
    <>
      {kind === "Application" && !isMissing && (
        <Anchor href={paths.application({ namespace, name })} className="button">
          Open application
        </Anchor>
      )}
      {items.length > 0 && <Menu label={`Actions on ${title}`} items={items} />}
      {asked && (
        <ActionDialog appRef={appRef} item={item} action={asked} onClose={() => setAsked(undefined)} />
      )}
      {deleting && (
        <DeleteResource
          appRef={appRef}
          item={item}
          onClose={(done) => {
            setDeleting(false);
            if (done) onClose();
          }}
        />
      )}
    </>
  );
}

function DeleteResource({
  appRef,
  item,
  onClose,
}: {
  appRef: AppRef;
  item: TreeItem;
  onClose(done: boolean): void;
}) {
  const title = resourceTitle(item.resource);
  const remove = async () => {
    const done = await report(
      { done: `${title} is being deleted`, failed: `Could not delete ${title}` },
      () => deleteResource(appRef, item.resource),
    );
    onClose(done);
  };
  return (
    <Dialog
      title={`Delete ${title}?`}
      onClose={() => onClose(false)}
      footer={
        <Button look="danger" onClick={remove}>
          Delete {title}
        </Button>
      }
    >
      <p>
        It is deleted from the cluster{item.size > 0 && ` with ${objectCount(item.size)} below it`}.{" "}
        {item.sync === undefined
          ? "Whatever owns it may create it again."
          : "It is in git, so the next sync creates it again."}
      </p>
    </Dialog>
  );
}
