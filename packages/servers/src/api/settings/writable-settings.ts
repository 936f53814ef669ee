import { readSettings } from "@capstan/kube";
import { jsonSchema } from "@capstan/model";
import { list, object, optional, string } from "@capstan/model/shapes";
import { notificationSchemas, readNotifications } from "@capstan/planning";
import type { ApiContext } from "../context.ts";

export type CheckNeeds = Pick<ApiContext, "settings" | "clock">;

/** What became of a text that was read as the installation reads it. */
export interface Checked {
  /** Why it would not count; nothing where it does. */
  readonly refused: readonly string[];
  readonly warnings: readonly string[];
}

export interface WritableMap {
  /** One with a dot at its end is the beginning of some. */
  readonly settings: readonly string[];
  /** Its text may hold a secret as it stands there, and is given to nobody. */
  isHidden(setting: string): boolean;
  /** As JSON Schemas, by the names of settings: what they may say where that is YAML. */
  schemas(): Promise<Readonly<Record<string, object>>>;
  check(setting: string, text: string, needs: CheckNeeds): Promise<Checked>;
}

const notificationsMap = "argocd-notifications-cm";
const generalMap = "argocd-cm";
const ignoredFields = "resource.customizations.ignoreDifferences.";
const ignored = object({
  jsonPointers: optional(list(string())),
  jqPathExpressions: optional(list(string())),
  managedFieldsManagers: optional(list(string())),
});

/**
 * All that can be written by the API, by ConfigMaps: nothing of it holds a credential, lets somebody in, starts a
 * program or says which objects belong to which application. Everything else is changed in the cluster.
 */
const writableMaps: ReadonlyMap<string, WritableMap> = new Map([
  [
    notificationsMap,
    {
      settings: [
        ...["context", "defaultTriggers", "defaultTriggers.", "service."],
        ...["subscriptions", "template.", "trigger."],
      ],
      isHidden: (setting) => setting.startsWith("service."),
      schemas: notificationSchemas,
      check: checkNotification,
    },
  ],
  [
    generalMap,
    {
      settings: [
        ...["help.chatText", "help.chatUrl", "help.download."],
        ignoredFields,
        ...["statusbadge.enabled", "statusbadge.url"],
        ...["timeout.hard.reconciliation", "timeout.reconciliation", "timeout.reconciliation.jitter"],
        ...["ui.bannercontent", "ui.bannerpermanent", "ui.bannerposition", "ui.bannerurl"],
      ],
      isHidden: () => false,
      schemas: async () => ({
        [ignoredFields]: jsonSchema(ignored.shape, { title: "Fields that do not count" }),
      }),
      check: async (setting, text) => checkGeneral(setting, text),
    },
  ],
]);

export const writableNames: readonly string[] = [...writableMaps.keys()];

export const findWritable = (name: string): WritableMap | undefined => writableMaps.get(name);

export function isWritable({ settings }: WritableMap, setting: string): boolean {
  return settings.some((one) =>
    one.endsWith(".") ? setting.startsWith(one) && setting.length > one.length : setting === one,
  );
}

/** As the controller reads it, with the Secret of notifications. */
async function checkNotification(
  setting: string,
  text: string,
  { settings, clock }: CheckNeeds,
): Promise<Checked> {
  const { secrets } = settings.current.notifications;
  const read = await readNotifications(
    { map: { [setting]: text }, secrets },
    { services: { clock }, tellsSecrets: false },
  );
  const problems = read.problems.filter((problem) => problem.startsWith(`${setting}: `));
  return read.entries.has(setting)
    ? { refused: [], warnings: problems }
    : { refused: problems.map((problem) => problem.slice(setting.length + 2)), warnings: [] };
}

function checkGeneral(setting: string, text: string): Checked {
  const data = { [setting]: text };
  const { problems } = readSettings(
    [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: generalMap }, data }],
    [],
  );
  const own = problems.filter(({ field }) => field === setting);
  return { refused: own.map(({ problem }) => problem), warnings: [] };
}
