import type { Clock } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import { type ClusterConfig, createKubeClient, httpTransport } from "@capstan/kube";

interface Reading {
  clock: Clock;
  env: Readonly<Record<string, string | undefined>>;
  userAgent: string;
  signal: AbortSignal;
}

/** The decoded data of a Secret, read with this access alone; undefined where there is no such Secret. */
export async function readClusterSecret(
  access: ClusterConfig,
  { namespace, name }: { namespace: string; name: string },
  { clock, env, userAgent, signal }: Reading,
): Promise<Record<string, string> | undefined> {
  await using transport = httpTransport(access, { clock, env });
  const kube = createKubeClient({ transport, userAgent, clock });
  const secret = await kube.get({ apiVersion: "v1", kind: "Secret", namespace, name }, signal);
  if (!secret) return undefined;
  const data = Object.entries(isRecord(secret.data) ? secret.data : {});
  return Object.fromEntries(
    data.map(([key, value]) => [key, Buffer.from(String(value), "base64").toString()]),
  );
}
