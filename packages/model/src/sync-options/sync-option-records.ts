/** Everything that anybody asks of one sync option: page, command line, validation, settings table, docs, decisions. */
export interface SyncOptionRecord {
  /** Each text that may stand after `Name=`, and what it decides; only exact texts count, as for Argo CD. */
  readonly values: Readonly<Record<string, boolean | string>>;
  /** The one of `values` that holds where nobody says anything. */
  readonly byDefault: string;
  /** Who may say it: an Application's list (and that of an operation), the annotation of an object, or both. */
  readonly saidBy: "application" | "object" | "both";
  /** The annotation of the live object counts too, where the one in git is silent. */
  readonly alsoLive?: true;
  /** Folder below packages/ whose code acts on it. */
  readonly doneIn: string;
  /** What it does: for docs/syncing.md, the help of the command line and the page. */
  readonly sentence: string;
  /** More of it, for docs/syncing.md. */
  readonly detail?: string;
  /** Name under which the dialog of a sync asks for it; only what is on or off. */
  readonly label?: string;
}

const onOff = { true: true, false: false };

/** The options of Argo CD 3.6 (gitops-engine pkg/sync/common/types.go and its page "Sync Options"). */
export const syncOptionRecords = {
  CreateNamespace: {
    values: onOff,
    byDefault: "false",
    saidBy: "application",
    doneIn: "engine/src/sync",
    sentence: "makes the destination namespace",
    detail: "the project has to permit `Namespace` objects (`clusterResourceWhitelist`); it is never pruned",
  },
  Prune: {
    values: { true: "permitted", false: "forbidden", confirm: "confirmed" },
    byDefault: "true",
    saidBy: "both",
    doneIn: "engine/src/sync",
    sentence: "deletes objects that git no longer has, where a sync prunes",
    detail: "`false` keeps them, `confirm` asks first, also before the application is deleted",
  },
  Delete: {
    values: { true: "permitted", false: "forbidden", confirm: "confirmed" },
    byDefault: "true",
    saidBy: "both",
    doneIn: "engine/src/sync",
    sentence: "deletes objects along with the application",
    detail: "`false` keeps them, `confirm` asks first",
  },
  PruneLast: {
    values: onOff,
    byDefault: "false",
    saidBy: "both",
    doneIn: "engine/src/sync",
    sentence: "prunes after everything else",
  },
  PrunePropagationPolicy: {
    values: { foreground: "Foreground", background: "Background", orphan: "Orphan" },
    byDefault: "foreground",
    saidBy: "application",
    doneIn: "engine/src/sync",
    sentence: "what becomes of the dependents of an object that is pruned",
  },
  ApplyOutOfSyncOnly: {
    values: onOff,
    byDefault: "false",
    saidBy: "application",
    doneIn: "engine/src/sync",
    sentence: "leaves objects alone that are as git says",
    label: "Only what differs",
  },
  ServerSideApply: {
    values: onOff,
    byDefault: "true",
    saidBy: "both",
    doneIn: "engine/src/sync",
    sentence: "lets the API server merge fields by their owner",
    detail:
      "`false` applies as `kubectl apply` does, with a patch from what the annotation `kubectl.kubernetes.io/last-applied-configuration` says of the last time ([below](#server-side-or-client-side))",
    label: "Server-side apply",
  },
  ClientSideApplyMigration: {
    values: onOff,
    byDefault: "true",
    saidBy: "application",
    doneIn: "engine/src/sync",
    sentence: "takes over the fields that `kubectl apply` owns before a server-side apply",
    detail:
      "another field manager than kubectl's is named by the Application's annotation `argocd.argoproj.io/client-side-apply-migration-manager`",
  },
  Replace: {
    values: onOff,
    byDefault: "false",
    saidBy: "both",
    alsoLive: true,
    doneIn: "engine/src/sync",
    sentence: "puts whole objects instead of merging, which can restart them",
    detail: "what others wrote goes; it wins over `ServerSideApply`",
    label: "Replace",
  },
  Force: {
    values: onOff,
    byDefault: "false",
    saidBy: "object",
    alsoLive: true,
    doneIn: "engine/src/sync",
    sentence: "deletes and creates anew what cannot be changed in place",
    detail: "of a whole sync, `--force` does the same",
  },
  Validate: {
    values: onOff,
    byDefault: "true",
    saidBy: "both",
    doneIn: "engine/src/sync",
    sentence: "refuses fields that the API server does not know",
    detail: "with `false` it drops them",
  },
  SkipDryRunOnMissingResource: {
    values: onOff,
    byDefault: "false",
    saidBy: "both",
    doneIn: "engine/src/sync",
    sentence: "begins a sync though the cluster does not know the kind of an object yet",
  },
  FailOnSharedResource: {
    values: onOff,
    byDefault: "false",
    saidBy: "application",
    doneIn: "planning/src",
    sentence: "fails a sync if an object belongs to another application",
  },
  RespectIgnoreDifferences: {
    values: onOff,
    byDefault: "false",
    saidBy: "application",
    doneIn: "planning/src",
    sentence: "leaves fields alone that `ignoreDifferences` names",
    detail: "without it they only do not count as a difference",
  },
} as const satisfies Readonly<Record<string, SyncOptionRecord>>;

export type SyncOptionName = keyof typeof syncOptionRecords;

/** The records as they stand in pages: in their order, each with its name. */
export const syncOptionList: readonly (readonly [SyncOptionName, SyncOptionRecord])[] = Object.entries(
  syncOptionRecords,
).map(([name, record]) => [name as SyncOptionName, record]);
