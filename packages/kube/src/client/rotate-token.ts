import type { Clock } from "@capstan/flow";
import { isRecord, parseBoundedJson } from "@capstan/formats";
import { CapstanError, type Manifest } from "@capstan/model";
import { listAt, recordAt, textAt } from "../read-json.ts";
import type { KubeClient } from "./kube-client.ts";
import { isNotFound } from "./kube-error.ts";

interface Input {
  /** Of the cluster, by the token that is to be replaced. */
  client: KubeClient;
  token: string;
  clock: Clock;
  signal: AbortSignal;
}

/** A new token; the old one works until it is retired. Disposed of before that, the new one is taken back. */
export interface Rotation extends AsyncDisposable {
  readonly token: string;
  retireOld(): Promise<void>;
}

const waitMs = 30_000;
const everyMs = 500;

/**
 * Makes another Secret of type kubernetes.io/service-account-token for the account of a token, and waits for its token
 * (Argo CD: util/clusterauth GenerateNewClusterManagerSecret, RotateServiceAccountSecrets).
 */
export async function rotateServiceAccountToken({ client, token, clock, signal }: Input): Promise<Rotation> {
  const { namespace, secret, account } = readClaims(token);
  const ref = (name: string) => ({ apiVersion: "v1", kind: "Secret", namespace, name });
  const old = await client.get(ref(secret), signal);
  if (!old) throw unusable(`its Secret ${namespace}/${secret} is not there`);
  const created = await client.create(
    {
      apiVersion: "v1",
      kind: "Secret",
      type: "kubernetes.io/service-account-token",
      metadata: {
        namespace,
        generateName: `${secret.split("-").slice(0, -1).join("-") || secret}-`,
        annotations: { "kubernetes.io/service-account.name": account },
      },
    },
    { signal },
  );
  const name = created.metadata.name ?? "";
  let isKept = false;
  await using made = new AsyncDisposableStack();
  made.defer(async () => {
    if (isKept) return;
    await client.delete(ref(name), { signal: AbortSignal.timeout(10_000) }).catch(passNotFound);
  });
  const fresh = await untilFilled(client, ref(name), { clock, signal });
  const rotation = made.move();
  return {
    token: fresh,
    async retireOld() {
      isKept = true;
      await listSecrets(client, { namespace, account, old: secret, name, signal });
      await client.delete(ref(secret), { signal }).catch(passNotFound);
    },
    [Symbol.asyncDispose]: () => rotation.disposeAsync(),
  };
}

function passNotFound(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}

async function untilFilled(
  client: KubeClient,
  ref: { apiVersion: string; kind: string; namespace: string; name: string },
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<string> {
  for (let waited = 0; waited < waitMs; waited += everyMs) {
    const found = await client.get(ref, signal);
    const token = found && textAt(recordAt(found, "data"), "token");
    if (token) return Buffer.from(token, "base64").toString("utf8");
    await clock.sleep(everyMs, signal);
  }
  throw new CapstanError({
    code: "TIMED_OUT",
    what: `the new token in Secret ${ref.namespace}/${ref.name}`,
    afterMs: waitMs,
  });
}

interface Listed {
  namespace: string;
  account: string;
  old: string;
  name: string;
  signal: AbortSignal;
}

async function listSecrets(
  client: KubeClient,
  { namespace, account, old, name, signal }: Listed,
): Promise<void> {
  const ref = { apiVersion: "v1", kind: "ServiceAccount", namespace, name: account };
  const found = await client.get(ref, signal);
  if (!found) throw unusable(`its ServiceAccount ${namespace}/${account} is not there`);
  const others = listAt(found, "secrets").filter(
    (one) => isRecord(one) && one.name !== old && one.name !== name,
  );
  const changed: Manifest = { ...found, secrets: [...others, { name }] };
  await client.replace(changed, { signal });
}

/** The token is one that we use: its signature is for the cluster to judge. */
function readClaims(token: string): { namespace: string; secret: string; account: string } {
  const claims = parseClaims(token.split(".")[1] ?? "");
  const claim = (name: string) => textAt(claims, `kubernetes.io/serviceaccount/${name}`);
  const [namespace, secret, account] = [
    claim("namespace"),
    claim("secret.name"),
    claim("service-account.name"),
  ];
  if (namespace && secret && account) return { namespace, secret, account };
  throw unusable("it is none of a Secret of type kubernetes.io/service-account-token");
}

function parseClaims(encoded: string): Record<string, unknown> {
  try {
    const claims = parseBoundedJson(Buffer.from(encoded, "base64url").toString("utf8"));
    return isRecord(claims) ? claims : {};
  } catch {
    return {};
  }
}

function unusable(why: string): CapstanError {
  const problem = `cannot be rotated: ${why}. Add the cluster anew with another token`;
  return new CapstanError({ code: "FAILED_PRECONDITION", what: "the cluster's token", problem });
}
