import type { Flags, FlagValues } from "@capstan/cli/record";
import { loopFlags, type Part } from "../parts/part-options.ts";

export const controllerPart: Part = {
  name: "controller",
  env: "ARGOCD_APPLICATION_CONTROLLER",
  metricsPort: 8082,
};

const seconds = { kind: "integer", value: "SECONDS", range: [0, 10 ** 9] } as const;

export const controllerFlags = {
  ...loopFlags(controllerPart),
  "status-processors": {
    kind: "integer",
    value: "N",
    range: [1, 1_000],
    help: "Applications that are worked on at a time, their operations included",
    byDefault: "20",
    env: "ARGOCD_APPLICATION_CONTROLLER_STATUS_PROCESSORS",
  },
  "operation-processors": {
    ...seconds,
    value: "N",
    help: "Taken for Argo CD's sake, without effect: --status-processors is for operations too",
    env: "ARGOCD_APPLICATION_CONTROLLER_OPERATION_PROCESSORS",
  },
  "kubectl-parallelism-limit": {
    kind: "integer",
    value: "N",
    range: [1, 1_000],
    help: "Objects of one application that are written at a time",
    byDefault: "20",
    env: "ARGOCD_APPLICATION_CONTROLLER_KUBECTL_PARALLELISM_LIMIT",
  },
  "app-resync": {
    ...seconds,
    help: "Applications are compared again after this time; 0 = only when something changes; over timeout.reconciliation of argocd-cm",
  },
  "app-hard-resync": {
    ...seconds,
    help: "The same without caches; over timeout.hard.reconciliation of argocd-cm",
  },
  "app-resync-jitter": {
    ...seconds,
    help: "Added to both at random, at most; over timeout.reconciliation.jitter of argocd-cm",
  },
  "repo-error-grace-period-seconds": {
    ...seconds,
    help: "How long a repository may be out of reach before an application says so",
    byDefault: "180",
    env: "ARGOCD_REPO_ERROR_GRACE_PERIOD_SECONDS",
  },
  "sync-timeout": {
    ...seconds,
    help: "After this time an operation is ended; 0 = never",
    env: "ARGOCD_APPLICATION_CONTROLLER_SYNC_TIMEOUT",
  },
} as const satisfies Flags;

export type ControllerFlags = FlagValues<typeof controllerFlags>;
type Texts = Readonly<Record<string, string>>;

/** What flags say over the keys of the ConfigMaps that say the same. */
export function controllerOverlay(flags: ControllerFlags): Readonly<Record<string, Texts>> {
  const inSeconds = (count: number | undefined): string | undefined =>
    count === undefined ? undefined : `${count}s`;
  const plain = (count: number | undefined): string | undefined =>
    count === undefined ? undefined : String(count);
  return {
    "argocd-cm": given({
      "timeout.reconciliation": inSeconds(flags["app-resync"]),
      "timeout.hard.reconciliation": inSeconds(flags["app-hard-resync"]),
      "timeout.reconciliation.jitter": inSeconds(flags["app-resync-jitter"]),
    }),
    "argocd-cmd-params-cm": given({
      "controller.repo.error.grace.period.seconds": plain(flags["repo-error-grace-period-seconds"]),
      "controller.sync.timeout.seconds": plain(flags["sync-timeout"]),
    }),
  };
}

function given(texts: Readonly<Record<string, string | undefined>>): Texts {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([key, text]) => (text === undefined ? [] : [[key, text]])),
  );
}
