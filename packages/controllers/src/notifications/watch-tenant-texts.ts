import type { Clock } from "@capstan/flow";
import {
  followObjects,
  type KubeClient,
  type KubeLog,
  type NotificationTexts,
  secretTexts,
  textsIn,
} from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import { configMapName, secretName } from "./notification-setups.ts";

interface Input {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: KubeLog;
  readonly signal: AbortSignal;
  /** undefined: there is no ConfigMap any more. */
  readonly found: (namespace: string, texts: NotificationTexts | undefined) => void;
}

/** Follows the ConfigMaps and Secrets of notifications in all namespaces, and nothing else of them. */
export async function watchTenantTexts({ client, clock, log, signal, found }: Input): Promise<void> {
  const maps = new Map<string, Readonly<Record<string, string>>>();
  const secrets = new Map<string, Readonly<Record<string, string>>>();
  const listed = { maps: false, secrets: false };
  const tell = (namespace: string): void => {
    if (!listed.maps || !listed.secrets) return;
    const map = maps.get(namespace);
    found(namespace, map && { map, secrets: secrets.get(namespace) ?? {} });
  };
  const follow = (kind: "ConfigMap" | "Secret"): Promise<void> => {
    const held = kind === "ConfigMap" ? maps : secrets;
    const name = kind === "ConfigMap" ? configMapName : secretName;
    const textsOf = (object: Manifest) => (kind === "Secret" ? secretTexts(object) : textsIn(object.data));
    const take = (object: Manifest): string => {
      const { namespace = "" } = object.metadata;
      held.set(namespace, textsOf(object));
      return namespace;
    };
    const follower = {
      replaceAll(objects: readonly Manifest[]) {
        const before = [...held.keys()];
        held.clear();
        const now = objects.filter((one) => one.metadata.name === name).map(take);
        listed[kind === "ConfigMap" ? "maps" : "secrets"] = true;
        for (const namespace of new Set([...before, ...now, ...maps.keys()])) tell(namespace);
      },
      changed(object: Manifest) {
        if (object.metadata.name === name) tell(take(object));
      },
      deleted({ metadata: { name: deleted, namespace = "" } }: Manifest) {
        if (deleted !== name) return;
        held.delete(namespace);
        tell(namespace);
      },
      problem: () => undefined,
    };
    const query = { apiVersion: "v1", kind, fieldSelector: `metadata.name=${name}` };
    return followObjects({ client, query, follower, clock, log, signal });
  };
  await Promise.all([follow("ConfigMap"), follow("Secret")]);
}
