import { inClusterName } from "@capstan/model";
import type { Flags, FlagValues } from "../../command.ts";
import type { Io } from "../../io.ts";
import { clusterSecretName } from "./argocd-secret-name.ts";
import type { KnownCluster } from "./known-clusters.ts";
import { labelledSecret } from "./labelled-secret.ts";
import { clusterFlags, type OpenCluster } from "./open-cluster.ts";

export const modeFlags = {
  ...clusterFlags,
  "dry-run": { kind: "boolean", help: "Say what would be done, and do nothing", byDefault: "true" },
} as const satisfies Flags;

interface Change {
  readonly known: KnownCluster;
  /** Of the cluster's Secret, as plain text; null is removed. */
  readonly next: Readonly<Record<string, string | null>>;
  readonly flags: FlagValues<typeof modeFlags>;
  readonly io: Io;
}

/** The cluster that Capstan runs in gets a Secret where it has none. */
export async function keepNamespaces(
  { client, namespace }: OpenCluster,
  { known, next, flags, io }: Change,
): Promise<void> {
  const { signal } = io;
  if (flags["dry-run"] ?? true) {
    io.out("done (dry run)\n");
    return;
  }
  if (known.settings) {
    const ref = { apiVersion: "v1", kind: "Secret", namespace, name: known.settings.secret.secretName };
    const data = Object.fromEntries(
      Object.entries(next).map(([field, text]) => [
        field,
        text === null ? null : Buffer.from(text).toString("base64"),
      ]),
    );
    await client.patch(ref, { type: "merge", body: { data } }, { signal });
  } else {
    const { server } = known;
    const fields = { config: "{}", name: inClusterName, server, ...next };
    const secret = labelledSecret({ name: clusterSecretName(server), type: "cluster", fields });
    await client.create({ ...secret, metadata: { ...secret.metadata, namespace } }, { signal });
  }
  io.out("done\n");
}
