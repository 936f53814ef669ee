import type { Application } from "@capstan/model";
import { DeleteDialog } from "../../parts/sync/delete-dialog.tsx";
import { RollbackDialog } from "../../parts/sync/rollback-dialog.tsx";
import { SyncDialog } from "../../parts/sync/sync-dialog.tsx";
import type { AppRef } from "../../paths.ts";
import { changeSearch, useSearch } from "../../url-state.ts";

interface Props {
  app: Application;
  appRef: AppRef;
  dialog: string | undefined;
}

export function ApplicationDialogs({ app, appRef, dialog }: Props) {
  const search = useSearch();
  const close = () => changeSearch({ dialog: undefined, objects: undefined });
  const props = { app, appRef, onClose: close };
  if (dialog === "sync")
    return <SyncDialog {...props} objects={(search.objects ?? "").split(",").filter(Boolean)} />;
  if (dialog === "delete") return <DeleteDialog {...props} />;
  const id = dialog?.startsWith("rollback:") ? Number(dialog.slice("rollback:".length)) : Number.NaN;
  const entry = app.status?.history?.find((deployment) => deployment.id === id);
  return entry ? <RollbackDialog {...props} entry={entry} /> : null;
}
