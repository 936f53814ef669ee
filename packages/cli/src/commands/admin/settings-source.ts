import { readFile } from "node:fs/promises";
import { readSettings } from "@capstan/kube";
import { isManifest, type Manifest, parseYaml } from "@capstan/model";
import { ExitError, type Flags, type FlagValues } from "../../command.ts";
import type { Io } from "../../io.ts";
import { clusterFlags, openCluster } from "./open-cluster.ts";

/** Where `admin settings` finds settings: files or a cluster. */
export const settingsFlags = {
  ...clusterFlags,
  "argocd-cm-path": { kind: "string", help: "File with the ConfigMap argocd-cm", value: "FILE" },
  "argocd-secret-path": { kind: "string", help: "File with the Secret argocd-secret", value: "FILE" },
  "load-cluster-settings": { kind: "boolean", help: "Read from the cluster what no file is named for" },
} as const satisfies Flags;

type Values = FlagValues<typeof settingsFlags>;
export type GivenSettings = ReturnType<typeof readSettings>;

export async function readGivenSettings(flags: Values, io: Io): Promise<GivenSettings> {
  const { "argocd-cm-path": mapPath, "argocd-secret-path": secretPath } = flags;
  if (!mapPath && !flags["load-cluster-settings"])
    throw new ExitError(
      "either --argocd-cm-path must be provided or --load-cluster-settings must be set to true",
      20,
    );
  const map = mapPath ? await readNamed(mapPath, "argocd-cm") : await fetchObject("argocd-cm", flags, io);
  const isSecretFetched = flags["load-cluster-settings"] && !secretPath;
  const secret = secretPath
    ? await readNamed(secretPath, "argocd-secret")
    : isSecretFetched
      ? await fetchObject("argocd-secret", flags, io)
      : undefined;
  return readSettings([map], secret ? [secret] : []);
}

/** Of whatever name: people keep them as overlays. */
async function readNamed(path: string, name: string): Promise<Manifest> {
  const object = await readObject(path);
  return { ...object, metadata: { ...object.metadata, name } };
}

/** The one object of a file. */
export async function readObject(path: string): Promise<Manifest> {
  const value = parseYaml(await readFile(path, "utf8"), { file: path });
  if (!isManifest(value)) throw new ExitError(`${path} holds no object`, 20);
  return value;
}

async function fetchObject(name: string, flags: Values, io: Io): Promise<Manifest> {
  await using cluster = await openCluster(flags, io);
  const { client, namespace } = cluster;
  const kind = name === "argocd-cm" ? "ConfigMap" : "Secret";
  const found = await client.get({ apiVersion: "v1", kind, namespace, name }, io.signal);
  if (!found) throw new ExitError(`${namespace} has no ${kind} ${name}`, 20);
  return found;
}
