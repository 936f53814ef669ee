import type { OutOf, Routes } from "@capstan/wire";
import type { AppRef } from "../../paths.ts";
import { runResourceAction } from "../../queries/actions.ts";
import { resourceTitle } from "../../resource-id.ts";
import { FormDialog } from "../forms/form-dialog.tsx";
import { tell } from "../notices.tsx";
import type { TreeItem } from "../tree/tree-items.ts";

export type OfferedAction = OutOf<Routes["listResourceActions"]>["actions"][number];

interface Props {
  appRef: AppRef;
  item: TreeItem;
  action: OfferedAction;
  onClose(): void;
}

export function actionWord({ displayName, name }: OfferedAction): string {
  return displayName || capital(name.replaceAll("-", " "));
}

/** Asks for what the action wants to know, and once more where it wants nothing. */
export function ActionDialog({ appRef, item, action, onClose }: Props) {
  const [word, title] = [actionWord(action), resourceTitle(item.resource)];
  const fields = (action.params ?? []).map(({ name }) => ({
    name,
    label: capital(name),
    required: true as const,
  }));
  return (
    <FormDialog
      title={`${word}: ${title}?`}
      verb={`${word} ${title}`}
      note={`It is done to the live object in ${item.resource.namespace || "the cluster"}, at once; git stays as it is.`}
      fields={fields}
      onClose={onClose}
      submit={async (values) => {
        await runResourceAction(appRef, item.resource, { action: action.name, values });
        tell(`${word}: ${title}`);
      }}
    />
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
